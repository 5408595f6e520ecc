import { describe, expect, it } from "vitest";
import { imageSizeOf } from "../media/read-image-size.js";
import { readEventStream } from "../testing/read-event-stream.js";
import { dataURL, smallPng } from "../testing/small-png.js";
import { errorOf, startEmulator } from "../testing/start-emulator.js";
import { countPictures } from "./picture-count.js";

const PATH = "/images/generations";
const body = { model: "local-image", prompt: "a lighthouse at dusk", size: "512x256" };

interface Answer {
  model: string;
  created: number;
  data: { url?: string; b64_json?: string; size: string }[];
  usage: { generated_images: number; output_tokens: number; total_tokens: number };
}

async function generate(options: object = {}) {
  const started = await startEmulator();
  const response = await started.post(PATH, { ...body, ...options });
  expect(response.status, await response.clone().text()).toBe(200);
  return { ...started, answer: (await response.json()) as Answer };
}

describe("POST /images/generations with a reference-image model", () => {
  it("answers a signed URL to a JPEG of the size", async () => {
    const { answer, emulator } = await generate();
    expect(answer).toEqual({
      model: "local-image",
      created: expect.any(Number),
      data: [{ url: expect.stringContaining("/files/image_"), size: "512x256" }],
      usage: { generated_images: 1, output_tokens: 512, total_tokens: 512 },
    });
    const url = answer.data[0]?.url ?? "";
    const file = await fetch(url);
    expect(file.headers.get("content-type")).toBe("image/jpeg");
    expect(imageSizeOf(new Uint8Array(await file.arrayBuffer()))).toEqual({
      format: "jpeg",
      width: 512,
      height: 256,
    });
    await emulator.clock.advance(86_400_000);
    expect(await errorOf(await fetch(url))).toMatchObject({ status: 403, code: "url_expired" });
  });

  it("answers Base64 on request, the same for the same prompt", async () => {
    const options = { response_format: "b64_json", output_format: "png" };
    const [first, second, other] = await Promise.all([
      generate(options),
      generate(options),
      generate({ ...options, prompt: "a windmill" }),
    ]);
    const bytes = Buffer.from(first.answer.data[0]?.b64_json ?? "", "base64");
    expect(imageSizeOf(bytes)).toEqual({ format: "png", width: 512, height: 256 });
    expect(second.answer.data).toEqual(first.answer.data);
    expect(other.answer.data).not.toEqual(first.answer.data);
  });

  it.each([
    ["2K", "2048x2048"],
    ["3K", "3072x3072"],
    ["4K", "4096x4096"],
    [undefined, "2048x2048"],
  ])("size %s is %s", async (size, expected) => {
    const { answer } = await generate({ size });
    expect(answer.data[0]?.size).toBe(expected);
  });

  it("follows the shape of a reference image in a tier", async () => {
    const { answer } = await generate({ size: "2K", image: dataURL(smallPng(64, 32)) });
    expect(answer.data[0]?.size).toBe("2896x1440");
  });

  it("takes one reference image or many, by URL, data URL or Base64", async () => {
    const png = smallPng();
    const image = ["https://example.com/a.png", dataURL(png), Buffer.from(png).toString("base64")];
    const plain = await generate({ response_format: "b64_json", output_format: "png" });
    const fused = await generate({ response_format: "b64_json", output_format: "png", image });
    expect(fused.answer.data).toHaveLength(1);
    expect(fused.answer.data).not.toEqual(plain.answer.data);
    await generate({ image: image[0] });
  });

  it.each<[string, object, number]>([
    ["as many as the prompt asks for", {}, 3],
    ["not more than max_images", { sequential_image_generation_options: { max_images: 2 } }, 2],
    ["one without a set", { sequential_image_generation: "disabled" }, 1],
    ["one for a prompt of one", { prompt: "a lighthouse" }, 1],
    ["at most fifteen", { prompt: "twenty-five... 40 pictures of a lighthouse" }, 15],
    [
      "fewer beside references",
      { prompt: "15 pictures", image: Array(10).fill("https://example.com/a.png") },
      5,
    ],
  ])("makes %s", async (_, options, count) => {
    const { answer } = await generate({
      prompt: "three pictures of a lighthouse",
      sequential_image_generation: "auto",
      ...options,
    });
    expect(answer.data).toHaveLength(count);
    expect(answer.usage.generated_images).toBe(count);
    expect(new Set(answer.data.map(({ url }) => url)).size).toBe(count);
  });

  it("streams an event per image", async () => {
    const { post } = await startEmulator();
    const response = await post(PATH, {
      ...body,
      prompt: "two pictures of a lighthouse",
      sequential_image_generation: "auto",
      stream: true,
    });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const about = { model: "local-image", created: expect.any(Number) };
    const events = await readEventStream(response);
    expect(events.map(({ data }) => data)).toEqual([
      {
        type: "image_generation.partial_succeeded",
        ...about,
        image_index: 0,
        url: expect.any(String),
        size: "512x256",
      },
      {
        type: "image_generation.partial_succeeded",
        ...about,
        image_index: 1,
        url: expect.any(String),
        size: "512x256",
      },
      {
        type: "image_generation.completed",
        ...about,
        usage: { generated_images: 2, output_tokens: 1_024, total_tokens: 1_024 },
      },
      "[DONE]",
    ]);
    expect(events[0]?.event).toBe("image_generation.partial_succeeded");
  });

  it("serves the openai SDK", async () => {
    const { openai } = await startEmulator();
    const { data } = await openai.images.generate({
      model: "local-image",
      prompt: "a lighthouse",
      response_format: "b64_json",
      n: 1,
    });
    expect(data?.[0]?.b64_json?.length).toBeGreaterThan(1_000);
  });
});

describe("a reference-image model refuses", () => {
  it.each<[string, object]>([
    ["prompt is required", { prompt: undefined }],
    ["size must be one of 2K, 3K, 4K or", { size: "1K" }],
    ["size must have 65536 to 16777216 pixels", { size: "64x64" }],
    ["size must have an aspect ratio", { size: "8192x256" }],
    ['response_format must be one of "url", "b64_json"', { response_format: "base64" }],
    ['output_format must be one of "png", "jpeg"', { output_format: "webp" }],
    ["watermark must be a boolean", { watermark: "yes" }],
    ['sequential_image_generation must be one of "auto", "disabled"', { sequential_image_generation: "on" }],
    [
      "sequential_image_generation_options.max_images must be an integer from 1 to 15",
      { sequential_image_generation_options: { max_images: 16 } },
    ],
    ["image must be a public http(s) URL", { image: "not base64 !" }],
    ["image[0] must be a string", { image: [1] }],
    ["image takes at most 14", { image: Array(15).fill("https://example.com/a.png") }],
    ["seed must be an integer", { seed: "x" }],
    ["guidance_scale must be a number", { guidance_scale: "x" }],
    ["quality is not supported", { quality: "high" }],
    ["n is not supported", { n: 2 }],
    ["is served by POST /chat/completions", { model: "local-chat-image" }],
    ["is served by POST /videos", { model: "local-video-2.0" }],
  ])("%s", async (message, options) => {
    const { post } = await startEmulator();
    for (const stream of [false, true]) {
      const response = await post(PATH, { ...body, stream, ...options });
      expect(await errorOf(response)).toMatchObject({
        status: 400,
        message: expect.stringContaining(message),
      });
    }
  });

  it("a model that does not exist", async () => {
    const { post } = await startEmulator();
    expect(await errorOf(await post(PATH, { ...body, model: "none" }))).toMatchObject({
      status: 404,
      code: "model_not_found",
    });
  });
});

describe("the number of pictures in a prompt", () => {
  it.each([
    ["four watercolor illustrations of a fox", 4],
    ["3 images of a fox", 3],
    ["a storyboard about a fox", 4],
    ["生成四张狐狸的图片", 4],
    ["a picture of two foxes", 1],
    ["a fox", 1],
  ])("%s: %i", (prompt, count) => {
    expect(countPictures(prompt)).toBe(count);
  });
});
