import fc from "fast-check";
import type { Emulator } from "../emulator.js";
import { bearer } from "./start-emulator.js";

/** One thing that people do with an emulator, in code or by a call. What makes no sense is refused, as it is for them. */
export type Work = (emulator: Emulator) => unknown;

const HOUR = 3_600_000;
const ownKey = fc.constantFrom("sk-a", "sk-b", "sk-__proto__");
const keyName = fc.oneof({ weight: 3, arbitrary: fc.constant("sk-emulator") }, ownKey);
const groupName = fc.constantFrom("default", "team", "1", "__proto__");
const modelName = fc.constantFrom("local-chat", "local-chat", "local-embedding", "gpt-4o", "constructor");
const modelNames = fc.subarray(["local-chat", "local-embedding", "gpt-4o"]);
const text = fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom("\0#x", "ä\u2028😀", "/a/", "__proto__"));

const post = (path: string, key: string, body: unknown): Work => {
  return async (emulator) => {
    const init = { method: "POST", headers: bearer(key), body: JSON.stringify(body) };
    await (await emulator.fetch(emulator.url + path, init)).arrayBuffer();
  };
};

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const work: fc.Arbitrary<Work> = fc.oneof(
  fc
    .record({
      key: ownKey,
      group: optional(groupName),
      quota: optional(fc.integer({ min: 0, max: 90_000_000 })),
      rateLimit: optional(
        fc.constantFrom({ windowMs: 10, requests: 9_000 }, { requests: 9_000, windowMs: 1 }),
      ),
      models: optional(modelNames),
      disabled: optional(fc.boolean()),
      expiresAt: optional(fc.double()),
    })
    .map((key) => (emulator: Emulator) => emulator.keys.add(key)),
  fc.tuple(ownKey, fc.nat(9_000)).map(([key, quota]) => (emulator: Emulator) => {
    emulator.keys.update(key, { quota, disabled: false });
  }),
  ownKey.map((key) => (emulator: Emulator) => emulator.keys.remove(key)),
  fc
    .record({ name: groupName, description: optional(text), models: modelNames })
    .map((group) => (emulator: Emulator) => emulator.groups.add(group)),
  groupName.map((name) => (emulator: Emulator) => emulator.groups.remove(name)),
  fc
    .record({
      id: fc.oneof(modelName, text),
      like: modelName,
      price: optional(fc.record({ inputTokens: fc.double({ min: 0, noNaN: true }) })),
    })
    .map((model) => (emulator: Emulator) => emulator.models.add(model)),
  modelName.map((id) => (emulator: Emulator) => emulator.models.remove(id)),
  fc
    .record({
      times: optional(fc.integer({ min: 1, max: 3 })),
      kind: fc.constantFrom("status", "html", "drop-after"),
      path: fc.constantFrom("/embeddings", "/none", "/chat/*"),
      model: optional(modelName),
    } as const)
    .map((fault) => (emulator: Emulator) => emulator.faults.add(fault)),
  fc
    .constantFrom("fault-1", "fault-2", undefined)
    .map((id) => (emulator: Emulator) => emulator.faults.clear(id)),
  fc
    .record({
      times: optional(fc.integer({ min: 1, max: 3 })),
      reply: fc.oneof(
        fc.jsonValue().map((value) => value as null),
        fc.constant(() => "code"),
      ),
      when: optional(
        fc.record({ turn: optional(fc.nat(3)), text: fc.oneof(text, fc.constantFrom(/a|b/giu, /\0/y)) }),
      ),
    })
    .map((rule) => (emulator: Emulator) => emulator.replies.add(rule)),
  fc
    .record({
      body: fc.dictionary(fc.oneof(text, fc.constant("__proto__")), text),
      when: fc.constant({ path: "/embeddings" }),
    })
    .map((rule) => (emulator: Emulator) => emulator.replies.add(rule)),
  fc.constantFrom("reply-1", "reply-2").map((id) => (emulator: Emulator) => emulator.replies.clear(id)),
  fc
    .tuple(keyName, modelName, text, fc.boolean())
    .map(([key, model, content, stream]) =>
      post("/chat/completions", key, { model, stream, messages: [{ role: "user", content }] }),
    ),
  fc
    .tuple(keyName, modelName, fc.oneof(text, fc.jsonValue()))
    .map(([key, model, input]) => post("/embeddings", key, { model, input, dimensions: 64 })),
  text.map((prompt) =>
    post("/images/generations", "sk-emulator", { model: "local-image", prompt, size: "512x512" }),
  ),
  fc.tuple(text, fc.constantFrom("", "[[fail]]", "[[stuck]]")).map(([words, marker]) =>
    post("/videos", "sk-emulator", {
      model: "local-video-2.0",
      content: [{ type: "text", text: `a ${words} ${marker}` }],
      duration: 4,
    }),
  ),
  fc.tuple(text, optional(text)).map(([words, external_task_id]) =>
    post("/videos/omni-video", "sk-emulator", {
      ...{ model_name: "local-omni-video", prompt: `a ${words}`, duration: 5, aspect_ratio: "1:1" },
      external_task_id,
    }),
  ),
  // Whole hours: what is scheduled never falls due between two looks at the clock.
  fc
    .integer({ min: 0, max: 30 })
    .map((hours) => (emulator: Emulator) => emulator.clock.advance(hours * HOUR)),
  fc.nat(5).map((index) => (emulator: Emulator) => {
    const ids = emulator.videos.list().map((task) => ("id" in task ? task.id : ""));
    return emulator.videos.succeed(ids[index] ?? "");
  }),
  fc.constant((emulator: Emulator) => emulator.journal.clear()),
);

/** How long tasks take where work is done: whole hours. */
export const WORK_TIMINGS = { queuedMs: HOUR, runningMs: HOUR };

/** A day's work, in no order that makes sense. */
export const arbitraryWork: fc.Arbitrary<Work[]> = fc.array(work, {
  minLength: 5,
  maxLength: 40,
  size: "max",
});

/** Does it all, one after the other. */
export async function doWork(emulator: Emulator, works: readonly Work[]): Promise<void> {
  for (const each of works) {
    try {
      await each(emulator);
    } catch (error) {
      // What makes no sense, and connections that faults cut.
      if (!(error instanceof TypeError)) throw error;
    }
  }
}
