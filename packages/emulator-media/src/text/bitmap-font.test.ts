import { expect, test } from "vitest";
import { findGlyph, GLYPH_HEIGHT, GLYPH_WIDTH } from "./bitmap-font.js";

const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index));

test("draws every printable ASCII character in a cell of the same size", () => {
  for (const character of printable) {
    const glyph = findGlyph(character);
    expect(glyph, character).toHaveLength(GLYPH_HEIGHT);
    for (const row of glyph ?? []) expect(row, character).toMatch(new RegExp(`^[.#]{${GLYPH_WIDTH}}$`));
  }
});

test("draws no two characters alike", () => {
  const pictures = new Set(printable.map((character) => findGlyph(character)?.join()));
  expect(pictures.size).toBe(printable.length);
});

test("leaves only the space empty", () => {
  expect(printable.filter((character) => !findGlyph(character)?.join().includes("#"))).toEqual([" "]);
});

test("has no other characters", () => {
  expect(findGlyph("é")).toBeUndefined();
  expect(findGlyph("\n")).toBeUndefined();
});
