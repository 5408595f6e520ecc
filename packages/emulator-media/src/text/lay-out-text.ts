import { type TextCell, textCells } from "./text-cells.js";

/** Distance from one line to the next, in text units. */
export const LINE_HEIGHT = 24;

// A picture shows less than this; longer texts are not worth measuring.
const MAX_CHARACTERS = 4000;

export interface TextBox {
  /** Room for the text, in pixels. */
  width: number;
  height: number;
  /** Sizes of a text unit to try, in whole pixels, largest first. */
  unit: number;
  smallestUnit: number;
}

export interface TextLayout {
  lines: TextCell[][];
  /** Size of a text unit in pixels. */
  unit: number;
}

/**
 * Wraps a text at the largest size at which all of it fits the box. What does not fit at the smallest size is
 * cut, and the last line then ends in three dots; one line is always left.
 */
export function layOutText(text: string, box: TextBox): TextLayout {
  const paragraphs = text.slice(0, MAX_CHARACTERS).trim().split(/\r?\n/).map(textCells);
  for (let unit = box.unit; ; unit--) {
    const lines = paragraphs.flatMap((cells) => wrap(cells, box.width / unit));
    const smallest = unit <= box.smallestUnit;
    const room = Math.max(smallest ? 1 : 0, Math.floor(box.height / (LINE_HEIGHT * unit)));
    if (lines.length <= room) return { lines, unit };
    if (smallest) return { lines: cut(lines, room, box.width / unit), unit };
  }
}

/** Width of a line in text units. */
export function lineWidth(cells: readonly TextCell[]): number {
  return cells.reduce((sum, cell) => sum + cell.advance, 0);
}

function wrap(cells: readonly TextCell[], width: number): TextCell[][] {
  const lines: TextCell[][] = [];
  let line: TextCell[] = [];
  let breakAt = 0;
  for (const cell of cells) {
    const space = isSpace(cell);
    if (space && line.length === 0) continue;
    // Scripts that come out boxed are mostly written without spaces, so a line may break before any box.
    if (cell.kind === "code-point") breakAt = line.length;
    if (line.length > 0 && !space && lineWidth(line) + cell.advance > width) {
      const end = breakAt > 0 ? breakAt : line.length;
      lines.push(line.slice(0, end));
      line = line.slice(end);
      breakAt = 0;
    }
    line.push(cell);
    if (space || cell.kind === "code-point") breakAt = line.length;
  }
  return [...lines, line];
}

function cut(lines: readonly TextCell[][], room: number, width: number): TextCell[][] {
  const kept = lines.slice(0, room);
  const dots = textCells("...");
  const last = kept.pop() ?? [];
  while (last.length > 0 && lineWidth(last) + lineWidth(dots) > width) last.pop();
  return [...kept, [...last, ...dots]];
}

function isSpace(cell: TextCell): boolean {
  return cell.kind === "glyph" && cell.text === " ";
}
