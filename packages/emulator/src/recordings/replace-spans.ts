/** A part of a text, and what is to stand in its place. */
export interface Replacement {
  start: number;
  end: number;
  text: string;
}

/**
 * Pieces of one text with parts of it replaced. What replaces a part that several pieces share stands in the first of them.
 *
 * @param replacements in order, none in another; offsets are those of the whole
 */
export function replaceSpans(pieces: readonly string[], replacements: readonly Replacement[]): string[] {
  let offset = 0;
  let next = 0;
  return pieces.map((piece) => {
    const from = offset;
    offset += piece.length;
    let kept = "";
    let at = from;
    for (; next < replacements.length; next++) {
      const { start, end, text } = replacements[next] as Replacement;
      if (start >= offset) break;
      if (start >= from) kept += piece.slice(at - from, start - from) + text;
      at = Math.min(end, offset);
      // The rest of it stands in the next piece.
      if (end > offset) break;
    }
    return kept + piece.slice(at - from);
  });
}
