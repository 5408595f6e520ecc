import { expect, test } from "vitest";
import { remembered } from "./remembered.js";

function counted(most: number) {
  const read: string[] = [];
  const length = remembered((text) => {
    read.push(text);
    return text.length;
  }, most);
  return { read, length };
}

test("a text is read once", () => {
  const { read, length } = counted(8);
  expect([length("word"), length("other"), length("word")]).toEqual([4, 5, 4]);
  expect(read).toEqual(["word", "other"]);
});

test("no more texts are remembered than were asked for", () => {
  const { read, length } = counted(2);
  for (const text of ["a", "b", "c", "a", "c"]) length(text);
  expect(read).toEqual(["a", "b", "c", "a"]);
});

test("a long text is read each time, and pushes nothing out", () => {
  const { read, length } = counted(1);
  const long = "x".repeat(4_001);
  for (const text of ["a", long, long, "a"]) length(text);
  expect(read).toEqual(["a", long, long]);
});
