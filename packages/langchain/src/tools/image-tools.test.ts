import { ToolMessage } from "@langchain/core/messages";
import type { ModelGateway } from "@model-gateway/core";
import type { Emulator } from "@model-gateway/emulator";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startToolEmulator, stored, toolCall } from "../../test/tool-emulator.js";
import { type ImageArtifact, imageEditTool, imageGenerationTool } from "../tools.js";

let emulator: Emulator;
let gateway: ModelGateway;
beforeAll(async () => {
  ({ emulator, gateway } = await startToolEmulator());
});
beforeEach(() => emulator.journal.clear());
afterAll(() => emulator.close());

const fox = toolCall("generate_image", { prompt: "A red fox" });
const artifactOf = (message: ToolMessage) => message.artifact as ImageArtifact;

async function imageLink(): Promise<string> {
  const { images } = await gateway.images.generate({ model: "local-image", prompt: "A red fox", size: "2K" });
  emulator.journal.clear();
  return images[0]?.url ?? "";
}

describe("generate_image", () => {
  it("names the link to the model and hands it over as an artifact", async () => {
    const tool = imageGenerationTool({
      gateway,
      model: "local-image",
      request: { size: "2K", watermark: false },
    });
    const message = await tool.invoke(fox);
    expect(ToolMessage.isInstance(message)).toBe(true);
    const { type, model, images } = artifactOf(message);
    expect([type, model, images.length]).toEqual(["image", "local-image", 1]);
    expect(message.text).toBe(`One image was generated: ${images[0]?.url}`);
    expect(message.status).toBe("success");
    expect(emulator.journal.list()[0]?.body).toEqual({
      model: "local-image",
      prompt: "A red fox",
      size: "2K",
      watermark: false,
    });
  });

  it("keeps Base64 out of the model's sight", async () => {
    const tool = imageGenerationTool({ gateway, model: "local-image-b64" });
    const message = await tool.invoke(fox);
    const { images, usage } = artifactOf(message);
    expect(Buffer.from(images[0]?.base64 ?? "", "base64").length).toBeGreaterThan(100);
    expect(images[0]?.mediaType).toMatch(/^image\//);
    expect(message.text).toBe(
      "One image was generated and handed to the application, which shows it to the user.",
    );
    expect(usage).toMatchObject({ total_tokens: expect.any(Number) });
    expect(stored(message.artifact)).toEqual(message.artifact);
  });

  it("counts the images of a set", async () => {
    const tool = imageGenerationTool({ gateway, model: "local-image-b64", request: { n: 2 } });
    expect((await tool.invoke(fox)).text).toMatch(/^2 images were generated/);
  });

  it("works through chat", async () => {
    const tool = imageGenerationTool({
      gateway,
      model: "local-chat-image",
      shape: "chat",
      request: { quality: "high" },
      sizes: ["1024x1024", "1536x1024"],
    });
    const message = await tool.invoke(toolCall("generate_image", { prompt: "A red fox", size: "1536x1024" }));
    expect(artifactOf(message).images).toHaveLength(1);
    expect(emulator.journal.list()[0]).toMatchObject({
      path: "/chat/completions",
      body: { metadata: { quality: "high", size: "1536x1024" } },
    });
  });

  it("lets the model choose among the application's sizes and no others", async () => {
    const fields = { gateway, model: "local-image-b64" };
    expect(imageGenerationTool(fields).schema).toMatchObject({ required: ["prompt"] });
    expect(imageGenerationTool(fields).schema).not.toHaveProperty("properties.size");
    const tool = imageGenerationTool({ ...fields, sizes: ["1024x1024"] });
    await expect(tool.invoke({ prompt: "A red fox", size: "9x9" })).rejects.toThrow("expected schema");
    expect(emulator.journal.list()).toEqual([]);
  });

  it("returns the sentence alone when it is called without a tool call", async () => {
    const tool = imageGenerationTool({ gateway, model: "local-image" });
    expect(await tool.invoke({ prompt: "A red fox" })).toMatch(/^One image was generated: http/);
  });
});

describe("edit_image", () => {
  const edit = (images: string[]) => toolCall("edit_image", { prompt: "Make it winter", images });

  it("downloads links and sends the images as files, in order", async () => {
    const tool = imageEditTool({ gateway, model: "local-image-b64", request: { quality: "low" } });
    const link = await imageLink();
    const [snow] = (await gateway.images.generate({ model: "local-image-b64", prompt: "Snow" })).images;
    const dataURL = `data:${snow?.mediaType};base64,${snow?.base64}`;
    emulator.journal.clear();
    const message = await tool.invoke(edit([link, dataURL]));
    expect(message.status, message.text).toBe("success");
    expect(artifactOf(message).images[0]?.base64).not.toBe("");
    const sent = emulator.journal.list({ path: "/images/edits" });
    expect(sent).toHaveLength(1);
    expect(sent[0]?.body).toEqual({
      "image[]": [
        expect.stringMatching(/^file "image-1\.jpg", image\/jpeg/),
        expect.stringMatching(/^file "image-2\.png", image\/png/),
      ],
      quality: "low",
      model: "local-image-b64",
      prompt: "Make it winter",
    });
  });

  it("gives the addresses to a reference-image model", async () => {
    const tool = imageEditTool({
      gateway,
      model: "local-image",
      shape: "reference",
      request: { size: "2K" },
    });
    const link = await imageLink();
    expect((await tool.invoke(edit([link]))).text).toMatch(/^One image was edited: http/);
    expect(emulator.journal.list({ path: "/images/generations" })[0]?.body).toMatchObject({ image: [link] });
  });

  it("gives the addresses to an image-chat model", async () => {
    const tool = imageEditTool({ gateway, model: "local-chat-image", shape: "chat" });
    expect((await tool.invoke(edit([await imageLink()]))).status).toBe("success");
  });

  it("takes at most 16 images and nothing but links and data URLs", async () => {
    const tool = imageEditTool({ gateway, model: "local-image-b64" });
    for (const images of [
      [],
      Array<string>(17).fill("https://images.example/a.png"),
      ["/models"],
      ["file:///etc/passwd"],
    ]) {
      await expect(tool.invoke(edit(images))).rejects.toThrow("expected schema");
    }
    expect(emulator.journal.list()).toEqual([]);
  });

  it("sends nothing on that is no image", async () => {
    const tool = imageEditTool({ gateway, model: "local-image-b64" });
    const message = await tool.invoke(edit([`${emulator.url}/models`]));
    expect(message.status).toBe("error");
    expect(message.text).toMatch(
      /images\[0\] is no image: .*application\/json.* Nothing was made or billed\./,
    );
    expect(emulator.journal.list({ path: "/images/edits" })).toEqual([]);
  });

  it("enters no private network for the model", async () => {
    const tool = imageEditTool({ gateway, model: "local-image-b64" });
    const message = await tool.invoke(edit(["http://169.254.169.254/latest/meta-data"]));
    expect(message.text).toMatch(/private network.*Nothing was made or billed\. Change the arguments/);
  });

  it("downloads no more than it is allowed to", async () => {
    const tool = imageEditTool({ gateway, model: "local-image-b64", maxImageBytes: 100 });
    const message = await tool.invoke(edit([await imageLink()]));
    expect(message.status).toBe("error");
    expect(message.text).toContain("maxBytes");
  });
});
