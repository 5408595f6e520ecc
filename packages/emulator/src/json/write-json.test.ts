import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lineAt, locateJSON } from "./locate-json.js";
import { readJSONLayout, writeJSON } from "./write-json.js";

const LAYOUTS = (["compact", "spaced", "indented"] as const).flatMap((spacing) =>
  (["none", "html", "ascii"] as const).map((escapes) => ({ spacing, escapes })),
);

describe("JSON", () => {
  it.each(LAYOUTS)("is written in the layout $spacing, $escapes that it was read in", (layout) => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const text = writeJSON(value, layout);
        const read = readJSONLayout(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(read && writeJSON(read.value, read.layout)).toBe(text);
      }),
    );
  });

  it("is written as Python and Go do", () => {
    const value = { a: [1, "ü<>"], b: {} };
    expect(writeJSON(value, { spacing: "spaced", escapes: "ascii" })).toBe(
      '{"a": [1, "\\u00fc<>"], "b": {}}',
    );
    expect(writeJSON(value, { spacing: "compact", escapes: "html" })).toBe(
      '{"a":[1,"ü\\u003c\\u003e"],"b":{}}',
    );
  });

  it.each(['{"a":1.0}', '{"a" :1}', '{"b":1,"b":2}', "{", "", `${"[".repeat(300)}${"]".repeat(300)}`])(
    "that cannot be written again is not read: %j",
    (text) => {
      expect(readJSONLayout(text)).toBeUndefined();
    },
  );
});

describe("where JSON stands", () => {
  it("is an error exactly where the parser finds one", () => {
    const almost = fc
      .tuple(
        fc.json({ maxDepth: 3 }),
        fc.nat(),
        fc.constantFrom("", ",", "}", "]", "{", '"', ":", "x", "\n", "\\"),
      )
      .map(
        ([json, at, put]) =>
          json.slice(0, at % (json.length + 1)) + put + json.slice((at % (json.length + 1)) + 1),
      );
    fc.assert(
      fc.property(almost, (text) => {
        let isJSON = true;
        try {
          JSON.parse(text);
        } catch {
          isJSON = false;
        }
        expect(locateJSON(text).error === undefined).toBe(isJSON);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is told by path and line", () => {
    const text = '{\n  "a": [\n    1,\n    {"b": null}\n  ],\n  "c": "d"\n}';
    const { error, offsets } = locateJSON(text);
    expect(error).toBeUndefined();
    expect([...offsets].map(([path, offset]) => [path, lineAt(text, offset)])).toEqual([
      ...[
        ["", 1],
        ["a", 2],
        ["a[0]", 3],
        ["a[1]", 4],
      ],
      ...[
        ["a[1].b", 4],
        ["c", 6],
      ],
    ]);
    const broken = '{\n  "a": 1,\n  "b": 2 3\n}';
    expect(lineAt(broken, locateJSON(broken).error ?? 0)).toBe(3);
    const long = `{"a":"${"x\\n".repeat(5_000_000)}", oops}`;
    expect(locateJSON(long).error).toBe(long.length - 5);
  });
});
