import type OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { imageSizeOf } from "../media/read-image-size.js";
import { readEventStream } from "../testing/read-event-stream.js";
import { errorOf, startEmulator } from "../testing/start-emulator.js";

const PATH = "/images/generations";
const body = {
  model: "local-image-b64",
  prompt: "a lighthouse",
  size: "1024x1024",
  quality: "low",
} as const;

describe("POST /images/generations with a Base64-only model", () => {
  it("answers Base64 and usage, and nothing else", async () => {
    const { post } = await startEmulator();
    const answer = await (await post(PATH, body)).json();
    expect(answer).toEqual({
      created: expect.any(Number),
      data: [{ b64_json: expect.any(String) }],
      usage: {
        input_tokens: 3,
        input_tokens_details: { text_tokens: 3, image_tokens: 0 },
        output_tokens: 272,
        total_tokens: 275,
      },
    });
    expect(imageSizeOf(Buffer.from(answer.data[0].b64_json, "base64"))).toEqual({
      format: "png",
      width: 1_024,
      height: 1_024,
    });
  });

  it.each<["png" | "jpeg" | "webp", Partial<OpenAI.ImageGenerateParamsNonStreaming>, object, number]>([
    ["jpeg", { size: "1536x1024", quality: "high" }, { width: 1_536, height: 1_024 }, 6_208],
    [
      "webp",
      { size: "1024x1536", quality: "medium", output_compression: 0 },
      { width: 1_024, height: 1_536 },
      1_584,
    ],
    [
      "png",
      { size: "auto", quality: "auto", background: "transparent", n: 2 },
      { width: 1_024, height: 1_024 },
      2_112,
    ],
  ])("makes a %s of the size at the table's price", async (format, options, size, tokens) => {
    const { openai } = await startEmulator();
    const answer = await openai.images.generate({
      ...body,
      ...options,
      output_format: format,
      moderation: "low",
      user: "someone",
    });
    for (const { b64_json: encoded = "" } of answer.data ?? []) {
      expect(imageSizeOf(Buffer.from(encoded, "base64"))).toEqual({ format, ...size });
    }
    expect(answer.usage?.output_tokens).toBe(tokens);
  });

  it("is what answers without a model", async () => {
    const { post } = await startEmulator();
    expect((await post(PATH, { prompt: "a lighthouse" })).status).toBe(200);
  });

  it("streams partial images and the whole one, and then just ends", async () => {
    const { post } = await startEmulator();
    const events = await readEventStream(await post(PATH, { ...body, stream: true, partial_images: 2 }));
    const about = {
      created_at: expect.any(Number),
      size: "1024x1024",
      quality: "low",
      background: "opaque",
      output_format: "png",
      b64_json: expect.any(String),
    };
    expect(events).toEqual([
      {
        event: "image_generation.partial_image",
        data: { type: "image_generation.partial_image", partial_image_index: 0, ...about },
      },
      {
        event: "image_generation.partial_image",
        data: { type: "image_generation.partial_image", partial_image_index: 1, ...about },
      },
      {
        event: "image_generation.completed",
        data: {
          type: "image_generation.completed",
          ...about,
          usage: expect.objectContaining({ output_tokens: 472 }),
        },
      },
    ]);
  });

  it("streams to the openai SDK", async () => {
    const { openai } = await startEmulator();
    const stream = await openai.images.generate({
      ...body,
      stream: true,
      partial_images: 1,
    });
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    expect(types).toEqual(["image_generation.partial_image", "image_generation.completed"]);
  });
});

describe("a Base64-only model refuses", () => {
  it.each<[string, object]>([
    ["response_format is not supported", { response_format: "b64_json" }],
    ["prompt must not be empty", { prompt: " " }],
    ["size must be one of", { size: "2048x2048" }],
    ["quality must be one of", { quality: "best" }],
    ["background must be one of", { background: "white" }],
    ["output_format must be one of", { output_format: "gif" }],
    ["output_compression must be a number from 0 to 100", { output_format: "jpeg", output_compression: 101 }],
    ["output_compression goes with", { output_compression: 50 }],
    ['background cannot be "transparent"', { background: "transparent", output_format: "jpeg" }],
    ["partial_images must be an integer from 0 to 3", { partial_images: 4 }],
    ["n must be an integer from 1 to 10", { n: 0 }],
    ["moderation must be one of", { moderation: "high" }],
    ["stream must be a boolean", { stream: "true" }],
    ["image is not supported by local-image-b64", { image: "https://example.com/a.png" }],
  ])("%s", async (message, options) => {
    const { post } = await startEmulator();
    expect(await errorOf(await post(PATH, { ...body, ...options }))).toMatchObject({
      status: 400,
      message: expect.stringContaining(message),
    });
  });
});
