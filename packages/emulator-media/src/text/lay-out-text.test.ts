import { expect, test } from "vitest";
import { LINE_HEIGHT, layOutText, lineWidth } from "./lay-out-text.js";

/** Lays text out in a box that holds so many characters and lines at unit 1. */
function lines(text: string, columns: number, rows = 100): string[] {
  const box = { width: columns * 12, height: rows * LINE_HEIGHT, unit: 1, smallestUnit: 1 };
  return layOutText(text, box).lines.map((cells) =>
    cells
      .map((cell) => (cell.kind === "glyph" ? cell.text : `[${cell.text}]`))
      .join("")
      .trimEnd(),
  );
}

test("wraps between words", () => {
  expect(lines("the quick brown fox", 10)).toEqual(["the quick", "brown fox"]);
});

test("keeps line breaks of the text", () => {
  expect(lines("one\ntwo\r\n\nthree", 20)).toEqual(["one", "two", "", "three"]);
});

test("splits a word that is longer than a line", () => {
  expect(lines("a incomprehensible b", 6)).toEqual(["a", "incomp", "rehens", "ible b"]);
});

test("never exceeds the width", () => {
  const text = "日本語 and English, mixed 🦊🦊 incomprehensibilities of all kinds";
  for (const width of [40, 77, 200, 333]) {
    const layout = layOutText(text, { width, height: 5000, unit: 1, smallestUnit: 1 });
    for (const line of layout.lines) {
      const visible = line.at(-1)?.text === " " ? line.slice(0, -1) : line;
      expect(lineWidth(visible)).toBeLessThanOrEqual(width);
    }
  }
});

test("shows what the font lacks as boxed code points, and may break before each of them", () => {
  expect(lines("狐狸🦊", 100)).toEqual(["[72D0][72F8][01F98A]"]);
  expect(lines("狐狸🦊", 3)).toEqual(["[72D0][72F8]", "[01F98A]"]);
});

test("folds accents and typographic signs to ASCII and drops what has no picture", () => {
  expect(lines("Crème brûlée – “ﬁne” Straße… 5×5 a\u200db", 100)).toEqual([
    'Creme brulee - "fine" Strasse... 5x5 ab',
  ]);
});

test("takes the largest size at which everything fits", () => {
  const box = { width: 240, height: 4 * LINE_HEIGHT, unit: 4, smallestUnit: 1 };
  expect(layOutText("tiny", box).unit).toBe(4);
  expect(layOutText("some words too many", box).unit).toBe(2);
});

test("cuts what does not fit at the smallest size, and says so with dots", () => {
  expect(lines("the quick brown fox jumps over the lazy dog", 10, 2)).toEqual(["the quick", "brown f..."]);
});

test("leaves one line at the smallest size in a box that is too low for any", () => {
  expect(layOutText("low", { width: 240, height: 5, unit: 3, smallestUnit: 2 })).toMatchObject({
    unit: 2,
    lines: [{ length: 3 }],
  });
});

test("lays out very long texts without measuring all of them", () => {
  expect(lines("word ".repeat(1_000_000), 20, 3)).toHaveLength(3);
});
