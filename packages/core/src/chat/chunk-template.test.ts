import { deepStrictEqual } from "node:assert";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { streamErrorsOf } from "../call/call-errors.js";
import { parseAddress } from "../config/addresses.js";
import { JSONStreamReader } from "../streams/json-stream-reader.js";
import type { ChatCompletionChunk } from "./chat-types.js";
import { ChunkTemplate } from "./chunk-template.js";
import { CompletionAccumulator } from "./completion-accumulator.js";

const RUNS = Number(process.env["FUZZ_RUNS"] ?? 400);

const ERRORS = streamErrorsOf({
  call: { name: "chat", method: "POST", path: "/chat", cost: "repeatable", defaultTimeoutMs: 1 },
  address: parseAddress("general", "https://gateway.example/v1"),
  apiKey: undefined,
  timeline: [],
  idleTimeoutMs: 1_000,
});

/** All that comes of a stream: its events, its sum, its error. */
async function readAll(bytes: Uint8Array, cuts: readonly number[], template: ChunkTemplate | undefined) {
  const accumulator = new CompletionAccumulator(true, 1, template);
  const reader = new JSONStreamReader<ChatCompletionChunk>(accumulator, ERRORS);
  const events: ChatCompletionChunk[] = [];
  let error: string | undefined;
  try {
    let from = 0;
    for (const cut of [...cuts.filter((at) => at < bytes.length).sort((a, b) => a - b), bytes.length]) {
      reader.push(bytes.subarray(from, cut));
      from = cut;
    }
    reader.end();
  } catch (thrown) {
    error = String(thrown);
  }
  const { queue } = reader;
  queue.finish();
  for await (const event of queue) events.push(event);
  return {
    events,
    error,
    partial: accumulator.partial(),
    usage: accumulator.usage(),
    whole: reader.complete,
  };
}

/** Equal in values, types, signs of zero, and in the order of fields, which JSON has and `deepStrictEqual` does not look at. */
async function expectEqual(text: string, cuts: readonly number[] = []): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  const plain = await readAll(bytes, cuts, undefined);
  const differential = await readAll(bytes, cuts, new ChunkTemplate());
  deepStrictEqual(differential, plain);
  expect(JSON.stringify(differential)).toBe(JSON.stringify(plain));
}

const chunk = (content: string, more = "") =>
  `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":${content}}${more},"finish_reason":null}]}`;
const stream = (...events: string[]) => events.map((event) => `data: ${event}\n\n`).join("");

describe("chunks that are read by what differs between them", () => {
  it("are recognised once one of them is known", () => {
    const template = new ChunkTemplate();
    const first = chunk('"a"');
    expect(template.match(first)).toBeUndefined();
    expect(template.learn(first, JSON.parse(first))).toBe(true);
    expect(template.match(chunk('"é \\" \\u0041"'))).toEqual(JSON.parse(chunk('"é \\" \\u0041"')));
    expect(template.text).toBe('é " A');
  });

  it.each([
    ["another model", (text: string) => text.replace('"m"', '"n"')],
    ["another choice", (text: string) => text.replace('"index":0', '"index":1')],
    ["a finish reason", (text: string) => text.replace("null", '"stop"')],
    ["a field more", (text: string) => text.replace('"id"', '"x":1,"id"')],
    ["a field behind the text", (text: string) => text.replace('"a"', '"a","refusal":"no"')],
    ["text that is none", (text: string) => text.replace('"a"', '"a"b"')],
    ["text with a line end", (text: string) => text.replace('"a"', '"a\n"')],
    ["text that ends in a backslash", (text: string) => text.replace('"a"', '"a\\"')],
    ["a number for text", (text: string) => text.replace('"a"', "7")],
    ["another escape in its envelope", (text: string) => text.replace('"m"', '"\\u006d"')],
    ["blanks", (text: string) => text.replace('"id":', '"id": ')],
  ])("are parsed where they have %s", (_what, change) => {
    const template = new ChunkTemplate();
    template.learn(chunk('"a"'), JSON.parse(chunk('"a"')));
    expect(template.match(chunk('"a"'))).toBeDefined();
    expect(template.match(change(chunk('"a"')))).toBeUndefined();
  });

  it.each([
    ["several choices", '{"choices":[{"delta":{"content":"a"}},{"delta":{"content":"b"}}]}'],
    ["no choice", '{"choices":[],"content":"a"}'],
    ["no delta", '{"choices":[{"content":"a"}]}'],
    ["tool calls", '{"choices":[{"delta":{"content":"a","tool_calls":[{"index":0}]}}]}'],
    ["usage", '{"choices":[{"delta":{"content":"a"}}],"usage":{"total_tokens":1}}'],
    ["log-probabilities", '{"choices":[{"delta":{"content":"a"},"logprobs":{"content":[]}}]}'],
    ["two texts", '{"choices":[{"delta":{"content":"a","reasoning":"b"}}]}'],
    ["a refusal", '{"choices":[{"delta":{"refusal":"a"}}]}'],
    ["no words", '{"choices":[{"delta":{"content":""}}]}'],
    ["the text only where another field hides it", '{"choices":[{"delta":{"content":"a","content":"a"}}]}'],
    [
      "the field only inside of words",
      '{"x":"\\"content\\":\\"a\\"","choices":[{"delta":{"cont\\u0065nt":"a"}}]}',
    ],
  ])("are not learned from a chunk with %s", (_what, text) => {
    const template = new ChunkTemplate();
    expect(template.learn(text, JSON.parse(text))).toBe(false);
    expect(template.match(text)).toBeUndefined();
  });

  it.each(["content", "reasoning_content", "reasoning"])("grow in the field %s", async (field) => {
    const text = stream(
      ...["a", "b", "c"].map((word) => chunk(JSON.stringify(word)).replace("content", field)),
    );
    await expectEqual(text);
    const { partial } = await readAll(new TextEncoder().encode(text), [], new ChunkTemplate());
    expect(JSON.stringify(partial)).toContain('"abc"');
  });

  it.each([1, 63, 64, 65, 500])("add up to all their words, be they %d", async (count) => {
    const words = Array.from({ length: count }, (_, index) => `${index} `);
    const text = stream(...words.map((word) => chunk(JSON.stringify(word))));
    await expectEqual(text);
    const { partial } = await readAll(new TextEncoder().encode(text), [], new ChunkTemplate());
    expect(partial?.choices[0]?.message.content).toBe(words.join(""));
  });

  it("add up to their words before those that come in parts", async () => {
    const words = Array.from({ length: 70 }, (_, index) => `${index} `);
    const parts = chunk('[{"type":"text","text":"end"}]');
    const text = stream(...words.map((word) => chunk(JSON.stringify(word))), parts);
    await expectEqual(text);
    const { partial } = await readAll(new TextEncoder().encode(text), [], undefined);
    expect(partial?.choices[0]?.message.content).toBe(`${words.join("")}end`);
  });

  it("belong to who reads them: what is changed in one shows in no other", () => {
    const template = new ChunkTemplate();
    const learned = JSON.parse(chunk('"a"')) as ChatCompletionChunk;
    template.learn(chunk('"a"'), learned);
    for (let time = 0; time < 2; time++) {
      const event = template.match(chunk('"b"')) as ChatCompletionChunk;
      expect(event).toEqual(JSON.parse(chunk('"b"')));
      for (const handed of [event, learned]) {
        for (const choice of handed.choices) choice.delta.content = "changed";
        handed.choices.length = 0;
        handed.id = "changed";
      }
    }
  });

  it("keep fields by the name of __proto__ to themselves", async () => {
    const text = chunk('"a"').replace('"id"', '"__proto__":"x","id"');
    await expectEqual(stream(text, text, text.replace('"a"', '"b"')));
    const template = new ChunkTemplate();
    expect(template.learn(text, JSON.parse(text))).toBe(true);
    expect(Object.getOwnPropertyNames(template.match(text))).toContain("__proto__");
  });

  it("are no longer looked for in a stream whose envelopes never repeat, until then at a cost that is bounded", () => {
    const template = new ChunkTemplate();
    const learned = Array.from({ length: 100 }, (_, index) => {
      const text = chunk('"a"', `,"obfuscation":"${index}"`);
      return template.match(text) === undefined && template.learn(text, JSON.parse(text));
    });
    expect(learned.filter(Boolean)).toHaveLength(16);
    expect(template.match(chunk('"a"', ',"obfuscation":"15"'))).toBeUndefined();
  });

  it("go on being looked for where envelopes change now and then", () => {
    const template = new ChunkTemplate();
    let matched = 0;
    for (let index = 0; index < 1_000; index++) {
      const text = chunk('"a"', `,"second":${Math.floor(index / 10)}`);
      if (template.match(text) === undefined) template.learn(text, JSON.parse(text));
      else matched++;
    }
    expect(matched).toBe(900);
  });
});

/** JSON as some route might write it: blanks, escapes, order, doubled fields, numbers at the edge. */
const NUMBERS = ["0", "-0", "1e400", "12345678901234567890", "1.0", "1E-7", "0.1", "9007199254740993"];
const blank = fc.constantFrom("", "", "", " ", "\t", "  ");
const literal = fc
  .string({
    unit: fc.constantFrom(
      "a",
      " ",
      "é",
      "中",
      "😀",
      '"',
      "\\",
      "/",
      "\n",
      "\u0001",
      "\u2028",
      "\ud83d",
      ":",
      "}",
    ),
  })
  .chain((text) =>
    fc.constantFrom(
      JSON.stringify(text),
      JSON.stringify(text).replace(/\//g, "\\/"),
      JSON.stringify(text).replace(
        /[^\x20-\x7e]/g,
        (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
      ),
    ),
  );
const scalar = fc.oneof(literal, fc.constantFrom("null", "true", "false", ...NUMBERS));
const nested = fc.constantFrom(
  "[]",
  "{}",
  '[{"index":0,"id":"t","function":{"name":"f","arguments":"{"}}]',
  '{"total_tokens":3}',
);
const member = (names: string[], value: fc.Arbitrary<string>) => fc.tuple(fc.constantFrom(...names), value);
const object = (members: Array<[string, string]>, space: string) =>
  `{${members.map(([name, value]) => `${space}"${name}"${space}:${space}${value}`).join(`${space},`)}${space}}`;

const odd = fc.oneof({ weight: 3, arbitrary: scalar }, nested);
const envelope = fc.record({
  space: blank,
  head: fc.array(member(["id", "model", "created", "object", "system_fingerprint", "__proto__"], scalar), {
    maxLength: 5,
  }),
  choice: fc.array(member(["index", "logprobs", "text", "stop"], scalar), { maxLength: 3 }),
  delta: fc.array(member(["role", "refusal", "thinking"], fc.constantFrom("null", '""', "true", "-0")), {
    maxLength: 2,
  }),
  field: fc.constantFrom("content", "content", "reasoning_content", "reasoning", "cont\\u0065nt"),
  at: fc.nat(3),
  odds: fc.option(
    fc.record({
      head: fc.array(member(["refusal", "usage", "error", "choices", "id"], odd), { maxLength: 2 }),
      choice: fc.array(member(["finish_reason", "logprobs", "delta", "error"], odd), { maxLength: 2 }),
      delta: fc.array(member(["refusal", "reasoning", "content", "tool_calls", "role"], odd), {
        maxLength: 2,
      }),
      second: fc.constantFrom("", '{"index":1,"delta":{"content":"x"}}'),
    }),
    { freq: 3 },
  ),
});

type Envelope = typeof envelope extends fc.Arbitrary<infer T> ? T : never;

function write({ space, head, choice, delta, field, at, odds }: Envelope, text: string): string {
  const words = [...delta, ...(odds?.delta ?? [])];
  words.splice(at, 0, [field, text]);
  const first = object([...choice, ["delta", object(words, space)], ...(odds?.choice ?? [])], space);
  const choices = `[${first}${odds?.second ? `,${odds.second}` : ""}]`;
  return object([...head, ["choices", choices], ...(odds?.head ?? [])], space);
}

/** Runs of chunks in one envelope, which may come back later; now and then one lacks a character somewhere. */
const events = fc
  .tuple(
    fc.array(envelope, { minLength: 1, maxLength: 3 }),
    fc.array(
      fc.tuple(
        fc.nat(2),
        fc.array(literal, { minLength: 1, maxLength: 8 }),
        fc.option(fc.nat(), { freq: 1 }),
      ),
      { minLength: 1, maxLength: 5 },
    ),
  )
  .map(([envelopes, runs]) =>
    runs.flatMap(([which, texts, damage], run) => {
      const written = texts.map((text) => write(envelopes[which % envelopes.length] as Envelope, text));
      const last = written.at(-1) as string;
      const gap = run < 2 || damage === null ? last.length : damage % last.length;
      return [...written.slice(0, -1), last.slice(0, gap) + last.slice(gap + 1)];
    }),
  );

describe("differential parsing", () => {
  it("gives what parsing gives, for any envelopes, texts, damage and cuts", async () => {
    let recognised = 0;
    await fc.assert(
      fc.asyncProperty(events, fc.array(fc.nat(2_000), { maxLength: 6 }), async (written, cuts) => {
        await expectEqual(`${stream(...written)}data: [DONE]\n\n`, cuts);
        const template = new ChunkTemplate();
        for (const text of written) {
          if (template.match(text) !== undefined) recognised++;
          else if (isJSON(text)) template.learn(text, JSON.parse(text));
        }
      }),
      { numRuns: RUNS },
    );
    // Else nothing was tried.
    expect(recognised).toBeGreaterThan(RUNS);
  });
});

function isJSON(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}
