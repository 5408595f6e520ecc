import { GLYPH_WIDTH } from "./bitmap-font.js";
import { foldToAscii } from "./fold-to-ascii.js";

/** Text units per glyph pixel. A unit is half a glyph pixel, the size at which code points are written in boxes. */
export const UNITS_PER_GLYPH_PIXEL = 2;

/** One piece of a line of text: a character of the font, or the boxed code point of one that it lacks. */
export interface TextCell {
  /** The font's character, or the code point in four or six hexadecimal digits. */
  text: string;
  kind: "glyph" | "code-point";
  /** Distance to the next cell, in text units. */
  advance: number;
}

const GLYPH_ADVANCE = (GLYPH_WIDTH + 1) * UNITS_PER_GLYPH_PIXEL;
const BOX_GAP = 3;

/** Height of the box around a code point, in text units: two rows of digits, with a gap and the frame. */
export const BOX_HEIGHT = 2 * 7 + 1 + 4;

/** Width of the box around a code point of four or six digits, in text units. */
export function boxWidth(codePoint: string): number {
  return (codePoint.length / 2) * (GLYPH_WIDTH + 1) - 1 + 4;
}

/**
 * Turns one paragraph into cells. Accented letters lose their accents, typographic signs become their ASCII
 * likeness, and everything else that the font lacks (Chinese, emoji, …) becomes a box with its code point.
 */
export function textCells(paragraph: string): TextCell[] {
  const cells: TextCell[] = [];
  for (const character of paragraph.normalize("NFC")) {
    const drawable = foldToAscii(character);
    if (drawable === undefined) cells.push(boxedCodePoint(character));
    else for (const glyph of drawable) cells.push({ text: glyph, kind: "glyph", advance: GLYPH_ADVANCE });
  }
  return cells;
}

function boxedCodePoint(character: string): TextCell {
  const hexadecimal = character.codePointAt(0)!.toString(16).toUpperCase();
  const text = hexadecimal.padStart(hexadecimal.length > 4 ? 6 : 4, "0");
  return { text, kind: "code-point", advance: boxWidth(text) + BOX_GAP };
}
