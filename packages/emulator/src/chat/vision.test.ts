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

  it.runIf(media.describeImage !== undefined)(
    "tells which of two is brighter, and which is larger",
    async () => {
      const [dark, light] = [
        dataURL(smallPng(300, 200, [90, 90, 90])),
        dataURL(smallPng(64, 64, [120, 120, 120])),
      ];
      expect(await look(dark, light)).toMatch(/Image 2 is brighter\. Image 1 is larger\./);
      expect(await look(light, dark)).toMatch(/Image 1 is brighter\. Image 2 is larger\./);
      expect(await look(light, light)).toContain("They are as bright as each other.");
      expect(await look(light, dark, light)).toContain("Images 1 and 3 are the brightest.");
      expect(await look(light, dark)).toContain("The main colour of all is grey.");
      expect(await look(light)).not.toMatch(/brighter|larger/);
      expect(await look(light, "https://example.com/a.png")).not.toMatch(/brighter|larger/);
    },
  );

  it.runIf(media.describeImage !== undefined)("is true of pictures that this emulator made", async () => {
    const { openai, post } = await startEmulator();
    const draw = async (prompt: string) => {
      const made = await post("/images/generations", { model: "local-image", prompt, size: "512x512" });
      return ((await made.json()) as { data: [{ url: string }] }).data[0].url;
    };
    const urls = [await draw("a city at night"), await draw("a red circle on a white background")];
    const completion = await openai.chat.completions.create({
      model: "local-chat",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Which is brighter?" },
            ...urls.map((url) => ({ type: "image_url" as const, image_url: { url } })),
          ],
        },
      ],
    });
    expect(completion.choices[0]?.message.content).toMatch(
      /Image 1: JPEG, 512x512 pixels, dark.*Image 2: JPEG, 512x512 pixels, bright .*mainly white, red.*Image 2 is brighter\. They are of the same number of pixels\./,
    );
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
