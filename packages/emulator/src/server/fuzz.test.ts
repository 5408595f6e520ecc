import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createEmulator, type Emulator } from "../index.js";
import { smallPng } from "../testing/small-png.js";
import { bearer } from "../testing/start-emulator.js";

const anything = fc.jsonValue({ maxDepth: 4 });
/** Right more often than not, so that the checks behind the first one are reached too. */
const mostly = <T>(right: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 50, arbitrary: right }, { weight: 1, arbitrary: anything });
const object = (members: Record<string, fc.Arbitrary<unknown>>, requiredKeys: string[] = []) =>
  mostly(fc.record(members, { requiredKeys }));

const words = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.constantFrom(
    "What's the weather in Paris?",
    "Context:\n# A\n| a | b |\n|---|---|\n| 1 | 2 |\nQuestion: b?",
    "(((((1+1)",
    '{"type":"object","properties":{}} json',
    "__proto__ constructor toString",
    "\ud800 lone",
    "你好，3+4等于多少？",
  ),
);
const url = fc.oneof(
  { weight: 8, arbitrary: fc.oneof(fc.webUrl(), fc.constant("data:image/png;base64,iVBORw0KGgo=")) },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.constantFrom("asset://a", "ftp://x", "data:image/png;base64,", "data:audio/wav;base64,AAAA"),
      words,
    ),
  },
);
const schema = fc.oneof(
  fc.constant({
    type: "object",
    properties: { __proto__: { type: "string" }, a: { $ref: "#/properties/a" } },
    required: ["a", "b"],
  }),
  fc.constant({
    $ref: "#/$defs/x",
    $defs: { x: { anyOf: [{ $ref: "#/$defs/x" }, { type: "array", items: { $ref: "#" } }] } },
  }),
  fc.constant({ type: "string", pattern: "(a+)+$", minLength: 1e9 }),
  fc.constant({ type: "array", minItems: 1e9, items: { type: "number", minimum: 5, maximum: 1 } }),
  fc.record(
    {
      type: fc.constantFrom("object", "array", "string", "integer", "null"),
      items: anything,
      properties: anything,
      required: anything,
      enum: anything,
      anyOf: anything,
      minimum: anything,
    },
    { requiredKeys: ["type"] },
  ),
);
const part = fc.oneof(
  object({ type: fc.constant("text"), text: words }, ["type", "text"]),
  object({ type: fc.constant("image_url"), image_url: object({ url }, ["url"]) }, ["type", "image_url"]),
);
const message = object(
  {
    role: mostly(fc.constantFrom("system", "user", "assistant", "user", "user", "tool")),
    content: fc.oneof(words, fc.array(part, { maxLength: 3 })),
    tool_call_id: words,
  },
  ["role", "content"],
);
const tool = object(
  {
    type: fc.constant("function"),
    function: object({ name: fc.stringMatching(/^[a-z_]{1,12}$/), description: words, parameters: schema }, [
      "name",
    ]),
  },
  ["type", "function"],
);
const chat = object(
  {
    model: fc.constantFrom("local-chat", "local-chat", "local-reasoner", "local-embedding", "none"),
    messages: mostly(fc.array(message, { minLength: 1, maxLength: 4 })),
    tools: fc.array(tool, { maxLength: 3 }),
    tool_choice: mostly(fc.constantFrom("auto", "none", "required")),
    response_format: object(
      {
        type: fc.constantFrom("json_object", "json_schema", "text"),
        json_schema: object({ name: fc.constant("x"), schema }, ["name"]),
      },
      ["type", "json_schema"],
    ),
    stream: fc.boolean(),
    max_tokens: mostly(fc.integer({ min: 1, max: 50 })),
    stop: mostly(words),
    temperature: mostly(fc.double({ min: 0, max: 2, noNaN: true })),
  },
  ["model", "messages"],
);
const embeddings = object({
  model: fc.constant("local-embedding"),
  input: mostly(fc.oneof(words, fc.array(words, { maxLength: 3 }))),
  dimensions: mostly(fc.integer({ min: 1, max: 64 })),
  encoding_format: mostly(fc.constantFrom("float", "base64")),
});
const image = (role: string) =>
  object(
    { type: fc.constant("image_url"), role: mostly(fc.constant(role)), image_url: object({ url }, ["url"]) },
    ["type", "image_url"],
  );
const item = fc.oneof(
  image("first_frame"),
  image("last_frame"),
  image("reference_image"),
  object({
    type: mostly(fc.constantFrom("video_url", "audio_url", "draft_task")),
    role: mostly(fc.constantFrom("reference_video", "reference_audio")),
    video_url: object({ url }),
    audio_url: object({ url }),
    draft_task: object({ id: words }),
  }),
);
const content = fc
  .tuple(
    object({ type: fc.constant("text"), text: words }, ["type", "text"]),
    fc.array(item, { maxLength: 2 }),
  )
  .map(([text, items]) => [text, ...items]);
const video = object(
  {
    model: mostly(fc.constantFrom("local-video-2.0", "local-video-1.5-pro")),
    content: mostly(content),
    duration: mostly(fc.integer({ min: 4, max: 15 })),
    resolution: mostly(fc.constantFrom("480p", "720p")),
    ratio: mostly(fc.constantFrom("16:9", "adaptive")),
    callback_url: url,
    draft: mostly(fc.boolean()),
    seed: mostly(fc.integer()),
  },
  ["model", "content"],
);

const imageInput = fc.oneof(url, fc.constantFrom("iVBORw0KGgoAAAANSUhEUg==", "AAAA"));
const referenceImage = object(
  {
    model: fc.constant("local-image"),
    prompt: words,
    image: mostly(fc.oneof(imageInput, fc.array(imageInput, { minLength: 1, maxLength: 3 }))),
    size: mostly(fc.constantFrom("2K", "256x256", "512x1024", "256x2000")),
    response_format: mostly(fc.constantFrom("url", "b64_json")),
    output_format: mostly(fc.constantFrom("png", "jpeg")),
    sequential_image_generation: mostly(fc.constantFrom("auto", "disabled")),
    sequential_image_generation_options: object({ max_images: mostly(fc.integer({ min: 1, max: 3 })) }),
    seed: mostly(fc.integer()),
    stream: fc.boolean(),
  },
  ["model", "prompt", "size"],
);
const base64Image = object(
  {
    model: fc.constant("local-image-b64"),
    prompt: words,
    size: mostly(fc.constantFrom("1024x1024", "1536x1024", "auto")),
    quality: mostly(fc.constantFrom("low", "high", "auto")),
    n: mostly(fc.integer({ min: 1, max: 2 })),
    partial_images: mostly(fc.integer({ min: 0, max: 3 })),
    background: mostly(fc.constantFrom("transparent", "opaque", "auto")),
    output_format: mostly(fc.constantFrom("png", "jpeg", "webp")),
    output_compression: mostly(fc.double({ min: 0, max: 100, noNaN: true })),
    stream: fc.boolean(),
  },
  ["model", "prompt"],
);
const chatImage = object(
  {
    model: fc.constant("local-chat-image"),
    messages: mostly(fc.array(message, { minLength: 1, maxLength: 2 })),
    metadata: object({
      size: mostly(fc.constantFrom("auto", "1024x1024", "1008x656", "3x3")),
      quality: mostly(fc.constantFrom("low", "high")),
    }),
    stream: fc.boolean(),
  },
  ["model", "messages"],
);
const speech = object(
  {
    model: mostly(fc.constant("local-speech")),
    input: words,
    voice: mostly(words),
    format: mostly(fc.constantFrom("wav", "pcm")),
    response_format: mostly(fc.constantFrom("wav", "pcm")),
    speed: mostly(fc.double({ min: 0, max: 5, noNaN: true })),
  },
  ["model", "input", "format"],
);
const moderation = object(
  {
    model: mostly(fc.constantFrom("local-moderation", "local-chat", "none")),
    input: mostly(fc.oneof(words, fc.array(words, { maxLength: 3 }))),
  },
  ["input"],
);
const wrappedVideo = object(
  {
    model_name: mostly(fc.constantFrom("local-image2video", "local-omni-video")),
    prompt: fc.oneof(words, fc.constantFrom("<<<image_1>>>", "<<<image_99999999>>>")),
    image: mostly(imageInput),
    image_list: mostly(
      fc.array(
        object({ image_url: imageInput, type: mostly(fc.constantFrom("first_frame", "end_frame")) }, [
          "image_url",
        ]),
        { maxLength: 3 },
      ),
    ),
    video_list: mostly(fc.array(object({ video_url: url }), { maxLength: 2 })),
    mode: mostly(fc.constantFrom("std", "pro")),
    duration: mostly(fc.constantFrom(5, "10", 7)),
    sound: mostly(fc.constantFrom("on", "off")),
    aspect_ratio: mostly(fc.constantFrom("16:9", "1:1")),
    cfg_scale: mostly(fc.double({ min: -1, max: 2, noNaN: true })),
    callback_url: url,
    external_task_id: words,
  },
  ["model_name", "prompt"],
);
const formFile = fc
  .tuple(
    fc.constantFrom("image[]", "images", "image", "mask"),
    fc.uint8Array({ maxLength: 40 }),
    fc.boolean(),
  )
  .map(([name, bytes, png]) => {
    const content = png ? smallPng() : new Uint8Array(bytes);
    return [name, new File([content], "a.png", { type: "image/png" })] as const;
  });
const formText = fc.tuple(
  fc.constantFrom("model", "prompt", "mask", "n", "stream", "size", "partial_images", "quality", "__proto__"),
  fc.oneof(
    words,
    fc.constantFrom(
      "local-image-b64",
      "1",
      "true",
      "auto",
      "low",
      '{"file_id":"a"}',
      '{"image_url":{}}',
      "-1",
      "1e9",
    ),
  ),
);

/** The key of these tests may do everything. */
const KEY = "sk-everything";
const everything = () => createEmulator({ keys: [{ key: KEY, group: "default", moderation: true }] });

describe("whatever a client sends", () => {
  it.each<[path: string, bodies: fc.Arbitrary<unknown>, runs: number]>([
    ["/chat/completions", chat, 400],
    ["/chat/completions", chatImage, 60],
    ["/embeddings", embeddings, 400],
    ["/images/generations", referenceImage, 120],
    ["/images/generations", base64Image, 60],
    ["/audio/speech", speech, 200],
    ["/moderations", moderation, 300],
    ["/videos", video, 400],
    ["/videos/image2video", wrappedVideo, 300],
    ["/videos/omni-video", wrappedVideo, 300],
  ])(
    "%s answers 200, 400 or 404, with the Error body for the latter two",
    async (path, bodies, numRuns) => {
      const emulator = everything();
      await fc.assert(
        fc.asyncProperty(bodies, async (body) => {
          const response = await emulator.fetch(emulator.url + path, {
            method: "POST",
            headers: { ...bearer(KEY), "content-type": "application/json" },
            body: JSON.stringify(body),
          });
          await expectAnswer(response, emulator);
        }),
        { numRuns },
      );
      await emulator.close();
    },
    60_000,
  );

  it("a form answers 200, 400 or 404 too", async () => {
    const emulator = everything();
    const parts = fc.array(fc.oneof(formFile, formText), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(parts, fc.boolean(), async (fields, complete) => {
        const body = new FormData();
        if (complete) {
          body.set("prompt", "a hat");
          body.append("image[]", new File([smallPng()], "a.png"));
        }
        for (const [name, value] of fields) body.append(name, value);
        const url = `${emulator.url}/images/edits`;
        await expectAnswer(
          await emulator.fetch(url, { method: "POST", headers: bearer(KEY), body }),
          emulator,
        );
      }),
      { numRuns: 120 },
    );
    await emulator.close();
  }, 60_000);

  it("a deeply nested body is no reason to fail", async () => {
    const emulator = createEmulator();
    const depth = 20_000;
    const nested = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
    for (const body of [
      `{"model":"local-chat","messages":[{"role":"user","content":"hi"}],"metadata":${nested}}`,
      `{"model":"local-chat","messages":[{"role":"user","content":"hi"}],"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":${nested.replaceAll('"a"', '"items"')}}}}`,
      `{"model":"local-chat","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"x","parameters":${nested}}}]}`,
    ]) {
      const response = await emulator.fetch(`${emulator.url}/chat/completions`, {
        method: "POST",
        headers: bearer("sk-emulator"),
        body,
      });
      expect([200, 400]).toContain(response.status);
    }
    await emulator.close();
  });

  it("a long run of one character does not stop it", async () => {
    const emulator = createEmulator();
    for (const run of [
      "a",
      " ",
      "(",
      "1",
      ".",
      "{",
      "A ",
      "1+",
      ", ",
      "- \n",
      "#",
      "|",
      '"',
      "，",
      "<context>",
    ]) {
      const response = await emulator.fetch(`${emulator.url}/chat/completions`, {
        method: "POST",
        headers: bearer("sk-emulator"),
        body: JSON.stringify({
          model: "local-chat",
          messages: [{ role: "user", content: run.repeat(60_000) }],
          response_format: {
            type: "json_schema",
            json_schema: {
              name: "x",
              schema: {
                properties: { name: {}, email: {}, total: { type: "number" }, items: { type: "array" } },
                required: ["name", "email", "total", "items"],
              },
            },
          },
        }),
      });
      expect(response.status).toBe(200);
    }
    await emulator.close();
  }, 60_000);
});

async function expectAnswer(response: Response, emulator: Emulator): Promise<void> {
  const bytes = Buffer.from(await response.arrayBuffer());
  expect([200, 400, 404], emulator.journal.list().at(-1)?.failure).toContain(response.status);
  if (response.status !== 200) {
    expect(JSON.parse(bytes.toString())).toEqual({
      error: { message: expect.any(String), type: expect.any(String), code: expect.any(String) },
    });
  }
  emulator.journal.clear();
}
