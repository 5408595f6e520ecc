import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactKey } from "../call/redact.js";
import { parseJSON } from "../json/parse-json.js";
import { joinBytes } from "../transport/join-bytes.js";
import { Base64BodyReader } from "./base64-body-reader.js";
import { Base64Content } from "./base64-content.js";

const KEY = "sk-test-0123456789abcdef";
const PNG = Uint8Array.from({ length: 100 }, (_, index) => (index * 37) % 256);
const BASE64 = Buffer.from(PNG).toString("base64");

interface Outcome {
  text: string;
  value?: unknown;
}

/** What an answer is without the reader. */
function plainly(bytes: Uint8Array, key = KEY): Outcome {
  return outcomeOf(new TextDecoder().decode(bytes), key);
}

function outcomeOf(text: string, key: string): Outcome {
  try {
    return { text, value: parseJSON(redactKey(text, key)) };
  } catch {
    return { text };
  }
}

function readerOf(bytes: Uint8Array, cuts: readonly number[] = [], minimum = 3): Base64BodyReader {
  const reader = new Base64BodyReader(minimum);
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  let from = 0;
  for (const end of ends) {
    reader.push(bytes.slice(from, end));
    from = end;
  }
  return reader;
}

/** What the client makes of what the reader gives. */
function through(bytes: Uint8Array, cuts: readonly number[] = [], key = KEY): Outcome {
  const reader = readerOf(bytes, cuts);
  const value = reader.parse(key);
  const text = reader.text();
  if (value !== undefined) return { text, value };
  return outcomeOf(text, key);
}

const bytesOf = (text: string) => new TextEncoder().encode(text);
const parsed = (text: string, key = KEY) => readerOf(bytesOf(text)).parse(key) as Record<string, unknown>;

const base64 = fc
  .uint8Array({ minLength: 1, maxLength: 40 })
  .map((bytes) => Buffer.from(bytes).toString("base64"));
/** Pieces that JSON and Base64 are made of, and those that break both. */
const piece = fc.oneof(
  { weight: 4, arbitrary: base64.map((text) => `"b64_json":"${text}"`) },
  { weight: 2, arbitrary: base64 },
  fc.constantFrom(
    '"b64_json"',
    '"b64_json" : \n"',
    ':"',
    '"',
    "\\",
    '\\"',
    "\\u0041",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
  ),
  fc.constantFrom(
    "=",
    "==",
    "AB==",
    "QUJ=",
    "-_",
    " ",
    "\ufeff",
    "ü",
    "\u{1f600}",
    "null",
    "1",
    "true",
    '"data"',
    KEY,
  ),
);
const fragments = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));

const name = fc.constantFrom(
  "b64_json",
  "b64_json",
  "B64_json",
  "b64_json_",
  "url",
  'b64_json":"',
  "id",
  "__proto__",
);
const text = fc.oneof(
  { weight: 3, arbitrary: base64 },
  base64.map((some) => some.replace(/=/g, "")),
  base64.map((some) => `${some.slice(0, 5)}\n${some.slice(5)}`),
  base64.map((some) => `${some}"b64_json":"${some}`),
  fc.constantFrom("", "AB==", "AAA=", "error", "A", "AA=A", KEY, "\u{1f600}\u2028"),
  fc.string(),
);
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "medium" },
    text,
    fc.constantFrom(null, 1, 2 ** 60, false),
    fc.array(tie("tree"), { maxLength: 4 }),
    fc.array(fc.tuple(name, tie("tree")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
}));
const document = fc
  .tuple(tree, fc.constantFrom(undefined, 1, "\t"))
  .map(([value, indent]) => JSON.stringify(value, undefined, indent));
/** Two names alike in one object, which `JSON.stringify` never writes. */
const twice = fc
  .tuple(text, text, text)
  .map(([one, two, three]) => [one, two, three].map((value) => JSON.stringify(value)))
  .map(([one, two, three]) => `{"b64_json":${one},"a":{"b64_json":${two}},"b64_json":${three}}`);

describe("an answer that is decoded while it arrives", () => {
  const cuts = fc.array(fc.nat(), { maxLength: 8 });

  it.each([
    ["fragments of JSON", fragments],
    ["JSON", document],
    ["JSON with a name twice", twice],
  ])("is what it is without: %s, cut anywhere", (_what, anyText) => {
    fc.assert(
      fc.property(anyText, cuts, (written, at) => {
        expect(through(bytesOf(written), at)).toEqual(plainly(bytesOf(written)));
      }),
      { numRuns: 1_500 },
    );
  });

  it("is what it is without: JSON with other bytes in it, or without its end", () => {
    fc.assert(
      fc.property(
        document,
        cuts,
        fc.nat(),
        fc.uint8Array({ maxLength: 3 }),
        fc.boolean(),
        (written, at, where, wrong, ends) => {
          const whole = bytesOf(written);
          const from = where % (whole.length + 1);
          const rest = ends ? whole.subarray(from + wrong.length) : new Uint8Array();
          const bytes = Uint8Array.of(...whole.subarray(0, from), ...wrong, ...rest);
          expect(through(bytes, at)).toEqual(plainly(bytes));
        },
      ),
      { numRuns: 1_500 },
    );
  });

  it("is what it is without, whatever part of it is the key", () => {
    fc.assert(
      fc.property(
        fc.oneof(fragments, document),
        fc.nat(),
        fc.integer({ min: 1, max: 12 }),
        (written, where, length) => {
          const from = where % Math.max(1, written.length);
          const key = written.slice(from, from + length) || "A";
          expect(through(bytesOf(written), [], key)).toEqual(plainly(bytesOf(written), key));
        },
      ),
      { numRuns: 1_500 },
    );
  });

  it("loses its first byte order mark, and no other", () => {
    const written = `\ufeff\ufeff{"b64_json":"${BASE64}"}`;
    expect(through(bytesOf(written))).toEqual({ text: written.slice(1) });
    expect(through(bytesOf(written.slice(1)))).toEqual(plainly(bytesOf(written.slice(1))));
  });

  it("is read in one way, byte by byte", () => {
    const written = JSON.stringify({
      data: [{ b64_json: BASE64 }, { b64_json: `${BASE64.slice(1)}` }],
      text: "ü",
    });
    const bytes = bytesOf(written);
    const reader = readerOf(bytes, [...bytes.keys()]);
    expect(reader.parse(KEY)).toEqual(JSON.parse(written));
  });
});

describe("what is decoded", () => {
  const contentOf = (written: string) => Base64Content.of(parsed(written), "b64_json");

  it.each([
    ["at once", `{"b64_json":"${BASE64}"}`],
    ["with blanks around the colon", `{"b64_json"\n :\r\t"${BASE64}"}`],
    ["behind a name that begins alike", `{"b64_json_":"b64_json","b64_json":"${BASE64}"}`],
    ["behind a text that cannot be", `{"a":{"b64_json":"${BASE64}\\n"},"b64_json":"${BASE64}"}`],
    ["behind texts with quotes", `{"a":"\\\\","b":"\\"","b64_json":"${BASE64}"}`],
  ])("is Base64 under its name: %s", (_what, written) => {
    expect(joinBytes(contentOf(written)?.blocks ?? [])).toEqual(PNG);
  });

  it.each([
    ["a name with an escape", `{"b64\\u005fjson":"${BASE64}"}`],
    ["another name", `{"url":"${BASE64}"}`],
    ["the name as a text", `["b64_json","${BASE64}"]`],
    ["an escape in it", `{"b64_json":"${BASE64}\\u0041"}`],
    ["no padding", '{"b64_json":"QUJDRA"}'],
    ["too much padding", '{"b64_json":"QUJDRA==="}'],
    ["a name behind a backslash", `{"\\\\b64_json":"${BASE64}"}`],
    ["bits that nobody would write, behind one byte", '{"b64_json":"QUJDRI=="}'],
    ["bits that nobody would write, behind two", '{"b64_json":"QUJDREV="}'],
    ["the URL-safe alphabet", '{"b64_json":"QUJD--__"}'],
    ["nothing", '{"b64_json":""}'],
  ])("is nothing else: %s", (_what, written) => {
    expect(parsed(written)).toBeUndefined();
  });

  it("is nothing short, which stays what it is beside what is decoded", () => {
    const long = Buffer.alloc(3_072, "fox").toString("base64");
    const written = `{"data":[{"b64_json":"${long}"},{"b64_json":"${long.slice(4)}"},{"b64_json":"${long}"}]}`;
    const reader = new Base64BodyReader();
    reader.push(bytesOf(written));
    const { data } = reader.parse(KEY) as { data: object[] };
    expect(data.map((image) => Base64Content.of(image, "b64_json") !== undefined)).toEqual([
      true,
      false,
      true,
    ]);
    expect({ data }).toEqual(JSON.parse(written));
  });

  it("is found however deep it lies", () => {
    const depth = 20_000;
    const written = `${'{"a":['.repeat(depth)}{"b64_json":"${BASE64}"}${"]}".repeat(depth)}`;
    let found = parsed(written);
    for (let level = 0; level < depth; level++)
      found = (found["a"] as Array<Record<string, unknown>>)[0] as never;
    expect(found["b64_json"]).toBe(BASE64);
  });
});

describe("a text that is written when it is read", () => {
  const image = () => parsed(`{"index":0,"b64_json":"${BASE64}","size":"1x1"}`);

  it("is a property like any other", () => {
    const raw = image();
    expect(Object.keys(raw)).toEqual(["index", "b64_json", "size"]);
    expect(JSON.stringify(raw)).toBe(`{"index":0,"b64_json":"${BASE64}","size":"1x1"}`);
    expect({ ...raw }).toEqual({ index: 0, b64_json: BASE64, size: "1x1" });
    expect(structuredClone(raw)["b64_json"]).toBe(BASE64);
  });

  it("can be overwritten and deleted", () => {
    const raw = image();
    raw["b64_json"] = "other";
    expect([raw["b64_json"], Base64Content.of(raw, "b64_json")]).toEqual(["other", undefined]);
    expect(Object.keys(raw)).toEqual(["index", "b64_json", "size"]);
    const another = image();
    delete another["b64_json"];
    expect(another).toEqual({ index: 0, size: "1x1" });
  });
});
