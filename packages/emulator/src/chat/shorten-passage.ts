import type { Passage } from "../language/split-passages.js";
import { similarity, textFeatures } from "../language/text-features.js";

/**
 * A passage within `longest` characters: its first cell, item or clause and those that have most to do with the
 * question, in their order.
 */
export function shortenPassage(
  passage: Passage,
  question: ReadonlyMap<string, number>,
  longest: number,
): string {
  const { text } = passage;
  if (text.length <= longest) return text;
  const isRow = passage.rowKey !== undefined;
  const segments = passage.segments ?? text.split(/(?<=[,;:，；：])\s*/);
  const separator = passage.segments ? (isRow ? ", " : "; ") : " ";
  const scored = segments.map((segment, order) => ({
    segment,
    order,
    score:
      order === 0 && passage.segments
        ? Number.POSITIVE_INFINITY
        : similarity(question, textFeatures(segment)),
  }));
  const kept: typeof scored = [];
  let length = 0;
  for (const candidate of scored.sort(
    (left, right) => right.score - left.score || left.order - right.order,
  )) {
    if (kept.length > 0 && length + candidate.segment.length > longest) continue;
    kept.push(candidate);
    length += candidate.segment.length + separator.length;
  }
  const joined = kept
    .sort((left, right) => left.order - right.order)
    .map(({ segment }) => segment)
    .join(separator)
    .replace(/[,;:，；：]$/, "");
  return joined.length <= longest ? joined : `${joined.slice(0, longest).replace(/\s+\S*$/, "")}…`;
}
