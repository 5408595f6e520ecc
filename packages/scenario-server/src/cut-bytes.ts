/** How the bytes of a stream are handed to the socket; see `PACES`. */
export type Pace = (typeof PACES)[number];

/**
 * - `whole`: one write;
 * - `events`: one write per event, with a millisecond and a turn of the event loop in between;
 * - `bytes`: one write per byte, with a turn in between, for the first `SINGLE_BYTES`; the rest in one write. A stream that
 *   does not end properly begins with one write too: only its end is new;
 * - `cuts`: writes of any length by seed, with a turn in between, which also end inside characters and between CR
 *   and LF.
 */
export const PACES = ["whole", "events", "bytes", "cuts"] as const;

/** All of every stream but one long event, more of which shows nothing new and takes long. */
export const SINGLE_BYTES = 1_536;
const LONGEST_CUT = 48;

/**
 * The pieces that a pace makes of a stream; joined they are the stream.
 *
 * @param tail How many bytes at the end come one by one at the pace `bytes`; those before it in one piece.
 */
export function cutBytes(
  texts: readonly string[],
  pace: Pace,
  seed = 1,
  tail = Number.POSITIVE_INFINITY,
): Uint8Array[] {
  const encoder = new TextEncoder();
  if (pace === "events") return texts.map((text) => encoder.encode(text));
  const bytes = encoder.encode(texts.join(""));
  if (bytes.length === 0) return [];
  if (pace === "whole") return [bytes];
  const ends = pace === "bytes" ? singleBytes(bytes.length, tail) : randomEnds(bytes, seed);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

function singleBytes(length: number, tail: number): number[] {
  const start = Math.max(0, length - tail);
  const single = Math.min(length - start, SINGLE_BYTES);
  const ends = Array.from({ length: single }, (_, index) => start + index + 1);
  return [...(start > 0 ? [start] : []), ...ends, ...(start + single < length ? [length] : [])];
}

function randomEnds(bytes: Uint8Array, seed: number): number[] {
  const random = randomNumbers(seed);
  const ends = new Set([bytes.length]);
  for (let at = 0; at < bytes.length; at += 1 + Math.floor(random() * LONGEST_CUT)) if (at > 0) ends.add(at);
  // Random cuts seldom fall where they hurt.
  for (let at = 1; at < bytes.length; at++) if (isDelicate(bytes, at) && random() < 0.5) ends.add(at);
  return [...ends].sort((left, right) => left - right);
}

/** Inside a character, between CR and LF, or between the two line ends that close an event. */
function isDelicate(bytes: Uint8Array, at: number): boolean {
  const before = bytes[at - 1];
  const after = bytes[at] ?? 0;
  return (after & 0xc0) === 0x80 || ((before === 13 || before === 10) && (after === 10 || after === 13));
}

/** Numbers in [0, 1) that only depend on the seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
