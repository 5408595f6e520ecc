import { APICallError, generateImage, NoImageGeneratedError } from "ai";
import { describe, expect, it } from "vitest";
import { onEmulator, onScript, sendJSON } from "../test/servers.js";
import type { PartialImage } from "./index.js";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PNG_BYTES = Uint8Array.from(Buffer.from(PNG, "base64"));

async function partsOf(
  request: { headers: Record<string, unknown>; text: string } | undefined,
): Promise<string[]> {
  const headers = { "content-type": String(request?.headers["content-type"]) };
  const form = await new Response(request?.text, { headers }).formData();
  return [...form].map(([name, value]) =>
    typeof value === "string" ? `${name}=${value}` : `${name}: ${value.type}`,
  );
}

describe("image models on the emulator", () => {
  it("make bytes of the asked size with every wire shape", async () => {
    const { modelGateway } = await onEmulator();
    const sizeOf = (png: Uint8Array) => [
      new DataView(png.buffer, png.byteOffset).getUint32(16),
      new DataView(png.buffer, png.byteOffset).getUint32(20),
    ];
    for (const [model, shape] of [
      ["local-image-b64", "base64"],
      ["local-chat-image", "chat"],
    ] as const) {
      const { image, warnings } = await generateImage({
        model: modelGateway.image(model, { shape }),
        prompt: "A lighthouse",
        size: "1536x1024",
      });
      expect(warnings).toEqual([]);
      expect(image.mediaType).toBe("image/png");
      expect(sizeOf(image.uint8Array)).toEqual([1536, 1024]);
    }
    const { images, providerMetadata } = await generateImage({
      model: modelGateway.image("local-image", { shape: "reference" }),
      prompt: "A lighthouse",
      n: 2,
      providerOptions: { modelGateway: { size: "2K", watermark: false } },
    });
    expect(images).toHaveLength(2);
    expect(images[0]?.mediaType).toBe("image/jpeg");
    expect(providerMetadata["modelGateway"]?.images[0]).toMatchObject({
      url: expect.stringMatching(/^http/),
    });
  });

  it("edit the images they are given", async () => {
    const { modelGateway } = await onEmulator();
    const { image } = await generateImage({
      model: modelGateway.image("local-image-b64"),
      prompt: { text: "Make it blue", images: [PNG_BYTES] },
      size: "1024x1024",
    });
    expect(image.uint8Array.length).toBeGreaterThan(1_000);
  });

  it("tell of intermediate pictures", async () => {
    const { modelGateway } = await onEmulator();
    const partials: PartialImage[] = [];
    const model = modelGateway.image("local-image-b64", {
      onPartialImage: (partial) => partials.push(partial),
    });
    const { image } = await generateImage({
      model,
      prompt: "A fox",
      size: "1024x1024",
      providerOptions: { modelGateway: { partialImages: 2 } },
    });
    expect(partials.map(({ index, partialIndex }) => [index, partialIndex])).toEqual([
      [0, 0],
      [0, 1],
    ]);
    expect(partials[0]?.image.length).toBeGreaterThan(100);
    expect(image.uint8Array.length).toBeGreaterThan(100);
  });
});

describe("image requests", () => {
  it("take each of the three shapes", async () => {
    const { modelGateway, requests } = await onScript((response) =>
      sendJSON(response, {
        data: [{ b64_json: PNG }],
        choices: [
          {
            index: 0,
            message: { role: "assistant", content: `![x](data:image/png;base64,${PNG})` },
            finish_reason: "stop",
          },
        ],
      }),
    );
    const make = (settings: Parameters<typeof modelGateway.image>[1], more: object = {}) =>
      generateImage({ model: modelGateway.image("m", settings), prompt: "A fox", ...more });
    await make({});
    await make(
      { shape: "base64" },
      {
        n: 3,
        size: "1024x1024",
        providerOptions: {
          modelGateway: { quality: "low", background: "transparent", outputFormat: "webp" },
        },
      },
    );
    await make(
      { shape: "reference" },
      {
        prompt: { text: "A fox", images: [PNG_BYTES, PNG_BYTES] },
        seed: 7,
        providerOptions: {
          modelGateway: {
            size: "4K",
            responseFormat: "b64_json",
            sequentialImageGeneration: "auto",
            maxImages: 3,
            guidanceScale: 2,
          },
        },
      },
    );
    await make(
      { shape: "chat" },
      { size: "1024x1024", providerOptions: { modelGateway: { quality: "high" } } },
    );
    expect(requests.map(({ path }) => path)).toEqual([
      "/v1/images/generations",
      "/v1/images/generations",
      "/v1/images/generations",
      "/v1/chat/completions",
    ]);
    expect(requests.map(({ json }) => json)).toEqual([
      { model: "m", prompt: "A fox" },
      {
        model: "m",
        prompt: "A fox",
        n: 3,
        size: "1024x1024",
        quality: "low",
        background: "transparent",
        output_format: "webp",
      },
      {
        model: "m",
        prompt: "A fox",
        size: "4K",
        image: [`data:image/png;base64,${PNG}`, `data:image/png;base64,${PNG}`],
        response_format: "b64_json",
        sequential_image_generation: "auto",
        sequential_image_generation_options: { max_images: 3 },
        seed: 7,
        guidance_scale: 2,
      },
      {
        model: "m",
        messages: [{ role: "user", content: [{ type: "text", text: "A fox" }] }],
        metadata: { size: "1024x1024", quality: "high" },
      },
    ]);
  });

  it("send edits as a form with files and mask", async () => {
    const { modelGateway, requests } = await onScript((response) =>
      sendJSON(response, { data: [{ b64_json: PNG }] }),
    );
    await generateImage({
      model: modelGateway.image("m"),
      prompt: { text: "Make it blue", images: [PNG_BYTES, PNG_BYTES], mask: PNG_BYTES },
      providerOptions: { modelGateway: { inputFidelity: "high" } },
    });
    expect(requests[0]?.path).toBe("/v1/images/edits");
    expect(await partsOf(requests[0])).toEqual([
      "image[]: image/png",
      "image[]: image/png",
      "mask: image/png",
      "model=m",
      "prompt=Make it blue",
      "input_fidelity=high",
    ]);
  });

  it("warn of everything that is not sent, a mask above all", async () => {
    const { modelGateway } = await onScript((response) => sendJSON(response, { data: [{ b64_json: PNG }] }));
    const { warnings } = await generateImage({
      model: modelGateway.image("m", { shape: "reference" }),
      prompt: { text: "x", images: [PNG_BYTES], mask: PNG_BYTES },
      aspectRatio: "16:9",
    });
    expect(warnings.map((warning) => ("feature" in warning ? warning.feature : ""))).toEqual([
      "aspectRatio",
      "mask",
    ]);
    const plain = await generateImage({ model: modelGateway.image("m"), prompt: "x", seed: 1 });
    expect(plain.warnings).toMatchObject([{ type: "unsupported", feature: "seed" }]);
  });

  it.each([
    [
      "chat",
      { shape: "chat" },
      { quality: "high", user: "u", sizePlacement: "prompt", extraBody: { style: "ink" } },
      ["outputFormat", "background", "moderation", "watermark"],
    ],
    [
      "reference",
      { shape: "reference" },
      { watermark: false, maxImages: 2, responseFormat: "url", extraBody: { style: "ink" } },
      ["quality", "background", "user", "moderation", "outputCompression", "partialImages"],
    ],
    [
      "base64",
      { shape: "base64" },
      { quality: "low", moderation: "low", user: "u", extraBody: { style: "ink" } },
      ["watermark", "guidanceScale", "maxImages", "responseFormat", "inputFidelity", "sizePlacement"],
    ],
    ["unnamed", {}, { background: "opaque" }, ["watermark", "sequentialImageGeneration"]],
  ] as const)("of the shape %s send every option or warn of it", async (_name, settings, sent, unsent) => {
    const values: Record<string, string | number | boolean | object> = {
      outputFormat: "png",
      background: "auto",
      moderation: "auto",
      watermark: true,
      extraBody: { style: "ink" },
      quality: "low",
      user: "u",
      outputCompression: 5,
      partialImages: 1,
      guidanceScale: 2,
      maxImages: 3,
      responseFormat: "url",
      inputFidelity: "low",
      sizePlacement: "prompt",
      sequentialImageGeneration: "auto",
    };
    const { modelGateway, requests } = await onScript((response) =>
      sendJSON(response, {
        data: [{ b64_json: PNG }],
        choices: [{ index: 0, message: { content: `![x](data:image/png;base64,${PNG})` } }],
      }),
    );
    const make = (options: object) =>
      generateImage({
        model: modelGateway.image("m", settings),
        prompt: "x",
        providerOptions: { modelGateway: { ...options } },
      });
    expect((await make(sent)).warnings).toEqual([]);
    const body = JSON.stringify(requests[0]?.json);
    for (const value of Object.values(sent)) {
      const needle = typeof value === "object" ? "ink" : JSON.stringify(value);
      // Where the size goes shows only when there is one.
      if (value !== "prompt") expect(body).toContain(needle);
    }
    const wrong = await make(Object.fromEntries(unsent.map((name) => [name, values[name]])));
    expect(new Set(wrong.warnings.map((warning) => ("feature" in warning ? warning.feature : "")))).toEqual(
      new Set(unsent.map((name) => `providerOptions.modelGateway.${name}`)),
    );
  });

  it("for several images at once warn where a request makes one", async () => {
    const { modelGateway } = await onScript((response) => sendJSON(response, { data: [{ b64_json: PNG }] }));
    const model = modelGateway.image("m", { shape: "reference", maxImagesPerCall: 2 });
    const { warnings } = await generateImage({ model, prompt: "x", n: 2 });
    expect(warnings).toMatchObject([{ type: "unsupported", feature: "n" }]);
  });

  it("for intermediate pictures warn where nobody takes them", async () => {
    const { modelGateway } = await onScript((response) => sendJSON(response, { data: [{ b64_json: PNG }] }));
    const providerOptions = { modelGateway: { partialImages: 2 } };
    const { warnings } = await generateImage({
      model: modelGateway.image("m"),
      prompt: "x",
      providerOptions,
    });
    expect(warnings).toMatchObject([{ type: "unsupported", feature: "partialImages" }]);
  });

  it("check the size of a chat image before anything is sent", async () => {
    const { modelGateway, requests } = await onScript((response) => sendJSON(response, {}));
    const call = generateImage({
      model: modelGateway.image("m", { shape: "chat" }),
      prompt: "x",
      size: "1000x1000",
    });
    await expect(call).rejects.toThrow(/divisible by 16/);
    expect(requests).toHaveLength(0);
  });
});

describe("image results", () => {
  it("that are empty are not billed again", async () => {
    const { modelGateway, requests } = await onScript((response) => sendJSON(response, { data: [] }));
    const call = generateImage({ model: modelGateway.image("m"), prompt: "x" });
    await expect(call).rejects.toThrow(NoImageGeneratedError);
    expect(requests).toHaveLength(1);
  });

  it("keep the text of a chat model that refuses", async () => {
    const { modelGateway } = await onScript((response) =>
      sendJSON(response, {
        choices: [
          { index: 0, message: { role: "assistant", content: "I cannot draw that." }, finish_reason: "stop" },
        ],
      }),
    );
    const result = await modelGateway.image("m", { shape: "chat" }).doGenerate({
      prompt: "x",
      n: 1,
      size: undefined,
      aspectRatio: undefined,
      seed: undefined,
      files: undefined,
      mask: undefined,
      providerOptions: {},
    });
    expect(result.providerMetadata?.["modelGateway"]).toEqual({ images: [], text: "I cannot draw that." });
  });

  it("that were made but cannot be downloaded are not made again", async () => {
    const { modelGateway, requests } = await onScript((response, _count, { path }) =>
      path.startsWith("/v1")
        ? sendJSON(response, { data: [{ url: "/gone.png" }] })
        : response.writeHead(500).end(),
    );
    const error = await generateImage({ model: modelGateway.image("m"), prompt: "x" }).catch(
      (thrown: unknown) => thrown,
    );
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ isRetryable: false, data: { data: [{ url: "/gone.png" }] } });
    expect(requests.filter(({ path }) => path.startsWith("/v1"))).toHaveLength(1);
  });

  it("carry what each image was told of it", async () => {
    const { modelGateway } = await onScript((response) =>
      sendJSON(response, {
        data: [{ error: { message: "refused" } }, { b64_json: PNG, revised_prompt: "A red fox" }],
        usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
      }),
    );
    const { images, usage, warnings, providerMetadata } = await generateImage({
      model: modelGateway.image("m"),
      prompt: "x",
    });
    expect(images).toHaveLength(1);
    expect(usage).toEqual({ inputTokens: 1, outputTokens: 2, totalTokens: 3 });
    // Nobody can do anything about it afterwards: the metadata says it, and no warning.
    expect(warnings).toEqual([]);
    expect(providerMetadata["modelGateway"]?.images).toEqual([
      { revisedPrompt: "A red fox", mediaType: "image/png" },
      { error: { message: "refused" } },
    ]);
    expect(images[0]?.providerMetadata?.["modelGateway"]).toMatchObject({ revisedPrompt: "A red fox" });
  });

  it("that fail with an open outcome are not made again", async () => {
    const { modelGateway, requests } = await onScript((response) =>
      sendJSON(response, { error: { message: "upstream" } }, 502),
    );
    await expect(generateImage({ model: modelGateway.image("m"), prompt: "x" })).rejects.toThrow(
      /outcome is unknown/,
    );
    expect(requests).toHaveLength(1);
  });
});
