import { expect, test } from "vitest";
import { drawText } from "./draw-text.js";
import { layOutText } from "./lay-out-text.js";

/** Draws at unit 1 and keeps every `step`-th pixel, so that a step of 2 shows glyph pixels. */
function picture(text: string, columns: number, rows: number, step: number): string[] {
  const layout = layOutText(text, { width: columns, height: rows, unit: 1, smallestUnit: 1 });
  const pixels = Array.from({ length: rows }, () => Array.from({ length: columns }, () => "."));
  drawText(layout, 0, 0, (x, y, width, height) => {
    for (let row = y; row < y + height; row++) pixels[row]?.fill("#", x, x + width);
  });
  return pixels
    .filter((_, index) => index % step === 0)
    .map((row) => row.filter((_, index) => index % step === 0).join(""));
}

test("draws characters side by side, with descenders below the baseline", () => {
  expect(picture("Hyp", 36, 18, 2)).toEqual([
    "#...#.............",
    "#...#.............",
    "#...#.#...#.####..",
    "#####.#...#.#...#.",
    "#...#.#...#.#...#.",
    "#...#.#...#.#...#.",
    "#...#..####.####..",
    "..........#.#.....",
    ".......###..#.....",
  ]);
});

test("draws the code point of a character that the font lacks into a box", () => {
  expect(picture("狐", 18, 19, 1)).toEqual([
    "###############...",
    "#.............#...",
    "#.#####..###..#...",
    "#.....#.#...#.#...",
    "#....#......#.#...",
    "#...#.....##..#...",
    "#...#....#....#...",
    "#...#...#.....#...",
    "#...#...#####.#...",
    "#.............#...",
    "#.####...###..#...",
    "#.#...#.#...#.#...",
    "#.#...#.#..##.#...",
    "#.#...#.#.#.#.#...",
    "#.#...#.##..#.#...",
    "#.#...#.#...#.#...",
    "#.####...###..#...",
    "#.............#...",
    "###############...",
  ]);
});
