import { readAsset } from "../assets/asset-folder.js";
import { escapeXML } from "./svg.js";

/** Text in one line, ready for SVG. */
export interface Label {
  text: string;
  /** The size of the type, in the units that the room was given in. */
  size: number;
  width: number;
}

interface Glyphs {
  ranges: ReadonlyArray<readonly [first: number, last: number]>;
  ascii: readonly number[];
}

/** Advances of what is not ASCII, in thousandths: a square for wide scripts, the mean letter for the others. */
const WIDE = 1000;
const LETTER = 580;
const WIDE_SCRIPT = /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60\u{20000}-\u{3ffff}]/u;
const MAX_CHARACTERS = 400;

let glyphs: Glyphs | undefined;
let ranges: Uint32Array | undefined;

/** What of a text the font can show, on one line. */
export function drawableText(text: string): string {
  return [...text.slice(0, MAX_CHARACTERS).normalize("NFC").replace(/\s+/g, " ").trim()]
    .filter(hasGlyph)
    .join("")
    .trim();
}

/** Fits a text into one line: as large as the height allows, down to the size that shows all of it. */
export function layOutLabel(text: string, width: number, height: number): Label {
  const shown = drawableText(text);
  const size = Math.min(height, (width * 1000) / Math.max(1, measure(shown)));
  return { text: escapeXML(shown), size, width: (measure(shown) * size) / 1000 };
}

/** Fits a text into one line of a given size of type; what is too long ends in three dots. */
export function cutLabel(text: string, width: number, size: number): Label {
  const shown = drawableText(text);
  const room = (width * 1000) / size;
  if (measure(shown) <= room) return { text: escapeXML(shown), size, width: (measure(shown) * size) / 1000 };
  const kept = [...shown];
  while (kept.length > 0 && measure(kept.join("")) + measure("…") > room) kept.pop();
  const cut = kept.length === 0 ? "" : `${kept.join("").trimEnd()}…`;
  return { text: escapeXML(cut), size, width: (measure(cut) * size) / 1000 };
}

function measure(text: string): number {
  glyphs ??= readAsset<Glyphs>("glyphs.json");
  const { ascii } = glyphs;
  let width = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    width += ascii[code - 32] ?? (WIDE_SCRIPT.test(character) || character === "…" ? WIDE : LETTER);
  }
  return width;
}

function hasGlyph(character: string): boolean {
  glyphs ??= readAsset<Glyphs>("glyphs.json");
  ranges ??= Uint32Array.from(glyphs.ranges.flat());
  const code = character.codePointAt(0) ?? 0;
  if (code < 32) return false;
  let [low, high] = [0, ranges.length / 2 - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (code < (ranges[2 * middle] ?? 0)) high = middle - 1;
    else if (code > (ranges[2 * middle + 1] ?? 0)) low = middle + 1;
    else return true;
  }
  return false;
}
