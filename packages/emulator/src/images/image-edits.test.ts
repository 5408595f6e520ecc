import { toFile } from "openai";
import { describe, expect, it } from "vitest";
import { imageSizeOf } from "../media/read-image-size.js";
import { readEventStream } from "../testing/read-event-stream.js";
import { smallPng } from "../testing/small-png.js";
import { bearer, errorOf, startEmulator } from "../testing/start-emulator.js";

const picture = (name = "a.png", bytes = smallPng()) => new File([bytes], name, { type: "image/png" });

type Part = [name: string, value: string | File];

async function editor() {
  const { emulator, openai } = await startEmulator();
  const edit = (...parts: Part[]) => {
    const form = new FormData();
    form.set("model", "local-image-b64");
    form.set("prompt", "add a hat");
    form.set("quality", "low");
    for (const [name, value] of parts) form.append(name, value);
    return fetch(`${emulator.url}/images/edits`, {
      method: "POST",
      headers: bearer("sk-emulator"),
      body: form,
    });
  };
  return { emulator, openai, edit };
}

describe("POST /images/edits", () => {
  it("answers an image made from the given one, and how", async () => {
    const { edit } = await editor();
    const answer = await (await edit(["image[]", picture()])).json();
    expect(answer).toEqual({
      created: expect.any(Number),
      size: "1024x1024",
      quality: "low",
      background: "opaque",
      output_format: "png",
      data: [{ b64_json: expect.any(String), revised_prompt: "add a hat" }],
      usage: {
        input_tokens: 197,
        input_tokens_details: { text_tokens: 3, image_tokens: 194 },
        output_tokens: 272,
        total_tokens: 469,
      },
    });
    const other = await (await edit(["image[]", picture("b.png", smallPng(32, 32, [0, 0, 250]))])).json();
    expect(other.data).not.toEqual(answer.data);
  });

  it.each(["image[]", "images", "images[]", "image"])(
    "takes pictures named %s, one or sixteen",
    async (name) => {
      const { edit } = await editor();
      expect((await edit([name, picture()])).status).toBe(200);
      const sixteen = Array.from({ length: 16 }, (): Part => [name, picture()]);
      const answer = await (await edit(...sixteen)).json();
      expect(answer.usage.input_tokens_details.image_tokens).toBe(16 * 194);
    },
  );

  it("takes every option", async () => {
    const { edit } = await editor();
    const response = await edit(
      ["image[]", picture()],
      ["input_fidelity", "high"],
      ["background", "opaque"],
      ["size", "1536x1024"],
      ["output_format", "webp"],
      ["output_compression", "60"],
      ["n", "2"],
      ["moderation", "auto"],
      ["user", "someone"],
      ["stream", "false"],
    );
    const answer = await response.json();
    expect(answer.data).toHaveLength(2);
    expect(imageSizeOf(Buffer.from(answer.data[1].b64_json, "base64"))).toEqual({
      format: "webp",
      width: 1_536,
      height: 1_024,
    });
  });

  it.each<[string, string | File]>([
    ["JSON with a file id", '{"file_id":"file-1"}'],
    ["JSON with a URL", '{"image_url":"https://example.com/mask.png"}'],
    ["a file", picture("mask.png")],
  ])("takes a mask as %s", async (_, mask) => {
    const { edit } = await editor();
    expect((await edit(["image[]", picture()], ["mask", mask])).status).toBe(200);
  });

  it("follows the shape of the first picture when the size is automatic", async () => {
    const { edit } = await editor();
    const shapes = [
      [64, 32, "1536x1024"],
      [32, 64, "1024x1536"],
      [32, 32, "1024x1024"],
    ] as const;
    for (const [width, height, size] of shapes) {
      const response = await edit(["image[]", picture("a.png", smallPng(width, height))], ["size", "auto"]);
      expect((await response.json()).size).toBe(size);
    }
  });

  it("streams edit events", async () => {
    const { edit } = await editor();
    const response = await edit(["image[]", picture()], ["stream", "true"], ["partial_images", "1"]);
    const events = await readEventStream(response);
    expect(events.map(({ event }) => event)).toEqual(["image_edit.partial_image", "image_edit.completed"]);
    expect(events[1]?.data).toMatchObject({ type: "image_edit.completed", usage: { output_tokens: 372 } });
  });

  it("serves the openai SDK, with one picture, several and a stream", async () => {
    const { openai } = await editor();
    const file = async () => toFile(smallPng(), "a.png", { type: "image/png" });
    const common = { model: "local-image-b64", prompt: "add a hat", quality: "low" } as const;
    const one = await openai.images.edit({ ...common, image: await file(), mask: await file() });
    expect(one.data?.[0]?.b64_json).toBeDefined();
    const several = await openai.images.edit({ ...common, image: [await file(), await file()] });
    expect(several.usage?.input_tokens_details.image_tokens).toBe(388);
    const stream = await openai.images.edit({ ...common, image: await file(), stream: true });
    for await (const event of stream) expect(event.type).toBe("image_edit.completed");
  });

  it("stands in the journal with its files named", async () => {
    const { edit, emulator } = await editor();
    await edit(["image[]", picture("cat.png")]);
    expect(emulator.journal.list()).toMatchObject([
      {
        model: "local-image-b64",
        body: {
          prompt: "add a hat",
          "image[]": expect.stringMatching(/^file "cat\.png", image\/png, \d+ bytes$/),
        },
      },
    ]);
  });
});

describe("POST /images/edits refuses", () => {
  it.each<[string, Part[]]>([
    ["image[] is required", []],
    [
      "image[] takes at most 16 images (got 17)",
      Array.from({ length: 17 }, (): Part => ["image[]", picture()]),
    ],
    ["image[] must be file parts that hold images", [["image[]", "a.png"]]],
    ["image[] must be file parts that hold images", [["image[]", new File(["hello"], "a.png")]]],
    ["input_fidelity must be one of", [["input_fidelity", "medium"]]],
    ["partial_images must be an integer from 0 to 3", [["partial_images", "4"]]],
    ['n must be an integer from 1 to 10 (got "two")', [["n", "two"]]],
    ["stream must be a boolean", [["stream", "yes"]]],
    ["mask must be JSON text with file_id or image_url", [["mask", "a.png"]]],
    ["mask must be JSON text with file_id or image_url", [["mask", "{}"]]],
    ["mask.image_url must be", [["mask", '{"image_url":"a.png"}']]],
    ["response_format is not supported", [["response_format", "url"]]],
    ["quality must be one of", [["quality", "high"]]],
  ])("%s", async (message, parts) => {
    const { edit } = await editor();
    const withImage: Part[] = message.startsWith("image[]") ? parts : [["image[]", picture()], ...parts];
    expect(await errorOf(await edit(...withImage))).toMatchObject({
      status: 400,
      message: expect.stringContaining(message),
    });
  });

  it("a prompt that is missing, a model of another shape and a body that is no form", async () => {
    const { emulator } = await editor();
    const send = (body: string | FormData, type?: string) =>
      fetch(`${emulator.url}/images/edits`, {
        method: "POST",
        headers: { ...bearer("sk-emulator"), ...(type ? { "content-type": type } : {}) },
        body,
      });
    const form = new FormData();
    form.set("image[]", picture());
    expect((await errorOf(await send(form))).message).toContain("prompt is required");
    form.set("prompt", "add a hat");
    form.set("model", "local-image");
    expect((await errorOf(await send(form))).message).toContain("is served by POST /images/generations");
    expect(await errorOf(await send("{}", "application/json"))).toMatchObject({
      status: 400,
      code: "invalid_content_type",
    });
    expect(await errorOf(await send("nothing", "multipart/form-data; boundary=x"))).toMatchObject({
      status: 400,
      code: "invalid_form",
    });
  });
});
