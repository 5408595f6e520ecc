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

  it("is never waited for long: neither in blanks nor in a first line without an end", () => {
    const blanks = new FenceReader();
    expect(blanks.add(" ".repeat(100))).toBe(" ".repeat(100));
    const line = new FenceReader();
    expect(line.add(`\`\`\`${"x".repeat(100)}`)).toHaveLength(103);
    const inside = new FenceReader();
    expect(inside.add(`\`\`\`\n${" ".repeat(100)}`)).toHaveLength(36);
    expect(inside.add("x")).toHaveLength(65);
  });

  it("does not hold back what is known to be inside", () => {
    const reader = new FenceReader();
    expect(reader.add('```json\n{"a":')).toBe('{"a":');
    expect(reader.add('1, "b"')).toBe('1, "b"');
  });
});
