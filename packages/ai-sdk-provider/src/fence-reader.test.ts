import { describe, expect, it } from "vitest";
import { FenceReader } from "./fence-reader.js";

function read(pieces: readonly string[]): string {
  const reader = new FenceReader();
  return pieces.map((piece) => reader.add(piece)).join("") + reader.end();
}

describe("the fence around JSON", () => {
  it.each([
    ['```json\n{"a":1}\n```', '{"a":1}'],
    ['\n```\n{"a":1}\n```\n\n', '{"a":1}'],
    ['{"a":"```"}', '{"a":"```"}'],
    ['```json\n{"a":"x ``` y"}\n```', '{"a":"x ``` y"}'],
    ['```json\n{"a":1}', '{"a":1}'],
    ['{"a":1}', '{"a":1}'],
    ["``", "``"],
    ["``` only one line", "``` only one line"],
    ["```json\ntext `code`", "text `code`"],
  ])("is taken from %j, however it is cut", (answer, expected) => {
    expect(read([answer])).toBe(expected);
    expect(read([...answer])).toBe(expected);
    for (let cut = 1; cut < answer.length; cut++) {
      expect(read([answer.slice(0, cut), answer.slice(cut)])).toBe(expected);
    }
  });

  it("does not hold back what is known to be inside", () => {
    const reader = new FenceReader();
    expect(reader.add('```json\n{"a":')).toBe('{"a":');
    expect(reader.add('1, "b"')).toBe('1, "b"');
  });
});
