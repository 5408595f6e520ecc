import { describe, expect, it } from "vitest";
import type { MediaRenderer } from "../media/media-renderer.js";
import { dataURL, smallPng } from "../testing/small-png.js";
import { startEmulator } from "../testing/start-emulator.js";

const media: Partial<MediaRenderer> = await import("@model-gateway/emulator-media");

async function look(...urls: string[]): Promise<string> {
  const { openai } = await startEmulator();
  const completion = await openai.chat.completions.create({
    model: "local-chat",
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "What is in this picture?" },
          ...urls.map((url) => ({ type: "image_url" as const, image_url: { url } })),
        ],
      },
    ],
  });
  return completion.choices[0]?.message.content ?? "";
}

describe("vision", () => {
  it.runIf(media.describeImage !== undefined)("tells size and colours of each picture", async () => {
    const answer = await look(
      dataURL(smallPng(320, 200, [220, 20, 20])),
      dataURL(smallPng(64, 64, [20, 20, 220])),
    );
    expect(answer).toMatch(/2 images.*Image 1: PNG, 320x200 pixels.*red.*Image 2: PNG, 64x64 pixels.*blue/);
  });

  it.runIf(media.describeImage !== undefined)("fills a schema from what it sees", async () => {
    const { openai } = await startEmulator();
    const properties = { width: { type: "integer" }, colour: { type: "string" } };
    const completion = await openai.chat.completions.create({
      model: "local-chat",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Describe it." },
            { type: "image_url", image_url: { url: dataURL(smallPng(320, 200, [220, 20, 20])) } },
          ],
        },
      ],
      response_format: {
        type: "json_schema",
        json_schema: { name: "image", schema: { type: "object", properties } },
      },
    });
    expect(JSON.parse(completion.choices[0]?.message.content ?? "")).toMatchObject({ colour: "red" });
  });

  it("tells by its header a picture whose pixels cannot be read", async () => {
    const broken = smallPng(320, 200).slice(0, 40);
    expect(await look(dataURL(broken))).toContain("PNG, 320x200 pixels");
  });

  it("tells that a picture cannot be made out", async () => {
    expect(await look("data:image/png;base64,AAAA")).toContain(
      "image/png of about 3 bytes, with a header I cannot read",
    );
  });

  it("fetches no remote picture", async () => {
    expect(await look("https://example.com/a.png")).toContain("a remote image, which I do not fetch");
  });

  it.runIf(media.describeImage !== undefined)("sees what this emulator itself made", async () => {
    const { openai, emulator, post } = await startEmulator();
    const made = await post("/images/generations", {
      model: "local-image",
      prompt: "a fox",
      size: "512x256",
    });
    const { data } = (await made.json()) as { data: [{ url: string }] };
    expect(data[0].url.startsWith(new URL(emulator.url).origin)).toBe(true);
    const completion = await openai.chat.completions.create({
      model: "local-chat",
      messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: data[0].url } }] }],
    });
    expect(completion.choices[0]?.message.content).toContain("JPEG, 512x256 pixels");
  });
});
