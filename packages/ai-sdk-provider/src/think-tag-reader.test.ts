import { describe, expect, it } from "vitest";
import { type TaggedPiece, ThinkTagReader } from "./think-tag-reader.js";

function read(pieces: readonly string[]): Record<TaggedPiece["type"], string> {
  const reader = new ThinkTagReader();
  const found = { reasoning: "", text: "" };
  for (const { type, text } of [...pieces.flatMap((piece) => reader.add(piece)), ...reader.end()]) {
    found[type] += text;
  }
  return found;
}

describe("reasoning between tags", () => {
  it.each([
    ["<think>Six sevens.</think>\n\n42.", "Six sevens.", "42."],
    [" \n<think>a</think>b", "a", "b"],
    ["<think></think>b", "", "b"],
    ["No tag, <think>just</think> a word.", "", "No tag, <think>just</think> a word."],
    ["<thinking>is another tag</thinking>", "", "<thinking>is another tag</thinking>"],
    ["<think>1 < 2 </thin </think>done </think>", "1 < 2 </thin ", "done </think>"],
    ["<think>cut off", "cut off", ""],
    ["<think>cut in the tag</thi", "cut in the tag</thi", ""],
    ["<thi", "", "<thi"],
    ["<think>a</think>", "a", ""],
  ])("is told from the text of %j, however it is cut", (answer, reasoning, text) => {
    expect(read([answer])).toEqual({ reasoning, text });
    expect(read([...answer])).toEqual({ reasoning, text });
    for (let cut = 1; cut < answer.length; cut++) {
      expect(read([answer.slice(0, cut), answer.slice(cut)])).toEqual({ reasoning, text });
    }
  });

  it("is not waited for behind more blanks than anybody sends", () => {
    const reader = new ThinkTagReader();
    expect(reader.add(" ".repeat(100))).toEqual([{ type: "text", text: " ".repeat(100) }]);
    expect(reader.add("<think>")).toEqual([{ type: "text", text: "<think>" }]);
  });

  it("is handed over as it comes, and not when it is whole", () => {
    const reader = new ThinkTagReader();
    expect(reader.add("<think>first ")).toEqual([{ type: "reasoning", text: "first " }]);
    expect(reader.add("second")).toEqual([{ type: "reasoning", text: "second" }]);
    expect(reader.add("</think>")).toEqual([]);
    expect(reader.add("\n")).toEqual([]);
    expect(reader.add("done")).toEqual([{ type: "text", text: "done" }]);
  });
});
