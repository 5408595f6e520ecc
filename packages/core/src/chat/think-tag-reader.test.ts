import { expect, it } from "vitest";
import { ThinkTagReader } from "./think-tag-reader.js";

function read(pieces: readonly string[]) {
  const reader = new ThinkTagReader();
  const whole = { text: "", reasoning: "" };
  for (const piece of [...pieces.map((text) => reader.add(text)), reader.end()]) {
    whole.text += piece.text;
    whole.reasoning += piece.reasoning;
  }
  return whole;
}

it.each([
  ["<think>Hm.</think>Hello", "Hello", "Hm."],
  ["\n <think>\nHm.\n</think>\n\nHello <b>", "Hello <b>", "\nHm.\n"],
  ["Hello <think>no</think>", "Hello <think>no</think>", ""],
  ["<think>Hm.</think>a</think>", "a</think>", "Hm."],
  ["<think>cut off </thi", "", "cut off </thi"],
  ["<thi", "<thi", ""],
  ["  Hello", "  Hello", ""],
  ["<think></think>", "", ""],
  ["<think>a < b </ c</think>x", "x", "a < b </ c"],
  ["", "", ""],
])("%j is the same in one piece, in any three and in single letters", (answer, text, reasoning) => {
  for (let first = 0; first <= answer.length; first++) {
    for (let second = first; second <= answer.length; second++) {
      const pieces = [answer.slice(0, first), answer.slice(first, second), answer.slice(second)];
      expect(read(pieces), pieces.join("|")).toEqual({ text, reasoning });
    }
  }
  expect(read([...answer])).toEqual({ text, reasoning });
});

it("passes on what is no tag as soon as that is known", () => {
  const reader = new ThinkTagReader();
  expect(reader.add("<think>Hm")).toEqual({ text: "", reasoning: "Hm" });
  expect(reader.add(". 1 <")).toEqual({ text: "", reasoning: ". 1 " });
  expect(reader.add(" 2</think>Yes")).toEqual({ text: "Yes", reasoning: "< 2" });
  expect(reader.add("<think>")).toEqual({ text: "<think>", reasoning: "" });
});

it("does not wait for a tag behind more blanks than anybody sends", () => {
  const reader = new ThinkTagReader();
  expect(reader.add(" ".repeat(64))).toEqual({ text: "", reasoning: "" });
  expect(reader.add(" ")).toEqual({ text: " ".repeat(65), reasoning: "" });
  expect(reader.add("<think>")).toEqual({ text: "<think>", reasoning: "" });
});
