import { hashText } from "../language/hash-text.js";

/** Numbers in [0, 1) that depend on the seed only (mulberry32). */
export type Random = () => number;

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Numbers of one name: leaving out what has another name does not shift them. */
export function namedRandom(seed: number, name: string): Random {
  return seededRandom(hashText(name, seed));
}

/** @returns a whole number from `min` to `max`, both included */
export function integerFrom(random: Random, min: number, max: number): number {
  return min + Math.floor(random() * (max - min + 1));
}

export function pickFrom<T>(random: Random, items: readonly T[]): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new TypeError("There is nothing to choose from.");
  return item;
}
