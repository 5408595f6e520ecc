import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createEmulator } from "../index.js";
import { bearer } from "../testing/start-emulator.js";

const anything = fc.jsonValue({ maxDepth: 4 });
/** Right more often than not, so that the checks behind the first one are reached too. */
const mostly = <T>(right: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 6, arbitrary: right }, { weight: 1, arbitrary: anything });
const object = (members: Record<string, fc.Arbitrary<unknown>>) =>
  mostly(fc.record(members, { requiredKeys: [] }));

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
  fc.webUrl(),
  fc.constantFrom(
    "data:image/png;base64,iVBORw0KGgo=",
    "asset://a",
    "ftp://x",
    "data:image/png;base64,",
    "data:audio/wav;base64,AAAA",
  ),
  words,
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
const part = object({
  type: mostly(fc.constantFrom("text", "image_url")),
  text: words,
  image_url: object({ url }),
});
const message = object({
  role: mostly(fc.constantFrom("system", "user", "assistant", "tool")),
  content: fc.oneof(words, fc.array(part, { maxLength: 3 })),
  tool_call_id: words,
});
const tool = object({
  type: fc.constant("function"),
  function: object({ name: fc.stringMatching(/^[a-z_]{1,12}$/), description: words, parameters: schema }),
});
const chat = object({
  model: fc.constantFrom("local-chat", "local-reasoner", "local-embedding", "none"),
  messages: mostly(fc.array(message, { minLength: 1, maxLength: 4 })),
  tools: fc.array(tool, { maxLength: 3 }),
  tool_choice: mostly(fc.constantFrom("auto", "none", "required")),
  response_format: object({
    type: fc.constantFrom("json_object", "json_schema", "text"),
    json_schema: object({ name: fc.constant("x"), schema }),
  }),
  stream: fc.boolean(),
  max_tokens: mostly(fc.integer({ min: 1, max: 50 })),
  stop: mostly(words),
  temperature: mostly(fc.double({ min: 0, max: 2, noNaN: true })),
});
const embeddings = object({
  model: fc.constant("local-embedding"),
  input: mostly(fc.oneof(words, fc.array(words, { maxLength: 3 }))),
  dimensions: mostly(fc.integer({ min: 1, max: 64 })),
  encoding_format: mostly(fc.constantFrom("float", "base64")),
});
const item = object({
  type: mostly(fc.constantFrom("text", "image_url", "video_url", "audio_url", "draft_task")),
  text: words,
  role: mostly(
    fc.constantFrom("first_frame", "last_frame", "reference_image", "reference_video", "reference_audio"),
  ),
  image_url: object({ url }),
  video_url: object({ url }),
  audio_url: object({ url }),
  draft_task: object({ id: words }),
});
const video = object({
  model: mostly(fc.constantFrom("local-video-2.0", "local-video-1.5-pro")),
  content: mostly(fc.array(item, { minLength: 1, maxLength: 4 })),
  duration: mostly(fc.integer({ min: -2, max: 20 })),
  resolution: mostly(fc.constantFrom("480p", "720p", "8k")),
  ratio: mostly(fc.constantFrom("16:9", "adaptive", "2:1")),
  callback_url: words,
  draft: mostly(fc.boolean()),
  seed: mostly(fc.integer()),
});

describe("whatever a client sends", () => {
  it.each([
    ["/chat/completions", chat],
    ["/embeddings", embeddings],
    ["/videos", video],
  ])(
    "%s answers 200, 400 or 404, with the Error body for the latter two",
    async (path, bodies) => {
      const emulator = createEmulator();
      await fc.assert(
        fc.asyncProperty(bodies, async (body) => {
          const response = await emulator.fetch(emulator.url + path, {
            method: "POST",
            headers: { ...bearer("sk-emulator"), "content-type": "application/json" },
            body: JSON.stringify(body),
          });
          const text = await response.text();
          expect([200, 400, 404], emulator.journal.list().at(-1)?.failure).toContain(response.status);
          if (response.status !== 200) {
            expect(JSON.parse(text)).toEqual({
              error: { message: expect.any(String), type: expect.any(String), code: expect.any(String) },
            });
          }
          emulator.journal.clear();
        }),
        { numRuns: 400 },
      );
      await emulator.close();
    },
    60_000,
  );

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
