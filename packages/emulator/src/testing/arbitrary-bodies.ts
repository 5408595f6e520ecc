import fc from "fast-check";
import { smallPng } from "./small-png.js";

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
export const chat = object(
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
export const embeddings = object({
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
export const video = object(
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
export const referenceImage = object(
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
export const base64Image = object(
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
export const chatImage = object(
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
export const speech = object(
  {
    model: mostly(fc.constant("local-speech")),
    input: words,
    voice: mostly(words),
    format: mostly(fc.constantFrom("wav", "pcm", "mp3", "flac")),
    response_format: mostly(fc.constantFrom("wav", "pcm", "mp3", "flac")),
    speed: mostly(fc.double({ min: 0, max: 5, noNaN: true })),
  },
  ["model", "input", "format"],
);
export const moderation = object(
  {
    model: mostly(fc.constantFrom("local-moderation", "local-chat", "none")),
    input: mostly(fc.oneof(words, fc.array(words, { maxLength: 3 }))),
  },
  ["input"],
);
export const wrappedVideo = object(
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
export const formFile = fc
  .tuple(
    fc.constantFrom("image[]", "images", "image", "mask"),
    fc.uint8Array({ maxLength: 40 }),
    fc.boolean(),
  )
  .map(([name, bytes, png]) => {
    const content = png ? smallPng() : new Uint8Array(bytes);
    return [name, new File([content], "a.png", { type: "image/png" })] as const;
  });
export const formText = fc.tuple(
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
