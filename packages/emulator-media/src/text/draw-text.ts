import { findGlyph, GLYPH_WIDTH } from "./bitmap-font.js";
import { LINE_HEIGHT, type TextLayout } from "./lay-out-text.js";
import { BOX_HEIGHT, boxWidth, UNITS_PER_GLYPH_PIXEL } from "./text-cells.js";

/** Inks a rectangle of a picture; all four numbers are whole pixels. */
export type FillRectangle = (x: number, y: number, width: number, height: number) => void;

const DIGIT_ROWS = 7;

/** Draws laid-out text with its top left corner at `x`, `y`. What a pixel is stays with the caller. */
export function drawText(layout: TextLayout, x: number, y: number, fill: FillRectangle): void {
  const { unit } = layout;
  for (const [row, line] of layout.lines.entries()) {
    let left = x;
    const top = y + row * LINE_HEIGHT * unit;
    for (const cell of line) {
      if (cell.kind === "glyph") drawGlyph(cell.text, left, top, unit * UNITS_PER_GLYPH_PIXEL, fill);
      else drawBoxedCodePoint(cell.text, left, top, unit, fill);
      left += cell.advance * unit;
    }
  }
}

function drawGlyph(character: string, x: number, y: number, pixel: number, fill: FillRectangle): void {
  for (const [row, ink] of (findGlyph(character) ?? []).entries()) {
    for (const run of ink.matchAll(/#+/g)) {
      fill(x + run.index * pixel, y + row * pixel, run[0].length * pixel, pixel);
    }
  }
}

function drawBoxedCodePoint(
  codePoint: string,
  x: number,
  y: number,
  unit: number,
  fill: FillRectangle,
): void {
  const width = boxWidth(codePoint) * unit;
  const height = BOX_HEIGHT * unit;
  fill(x, y, width, unit);
  fill(x, y + height - unit, width, unit);
  fill(x, y, unit, height);
  fill(x + width - unit, y, unit, height);
  const perRow = codePoint.length / 2;
  for (const [index, digit] of [...codePoint].entries()) {
    const left = x + (2 + (index % perRow) * (GLYPH_WIDTH + 1)) * unit;
    const top = y + (2 + Math.floor(index / perRow) * (DIGIT_ROWS + 1)) * unit;
    drawGlyph(digit, left, top, unit, fill);
  }
}
