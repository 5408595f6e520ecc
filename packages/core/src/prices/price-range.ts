import type { PriceByKind } from "./model-price.js";

/** What a request comes to at most and as expected, in parts of a whole that are added up. */
export interface Range {
  upper: number;
  expected: number;
}

export const NOTHING: Range = { upper: 0, expected: 0 };

export function exactly(value: number): Range {
  return { upper: value, expected: value };
}

export function add(...ranges: readonly Range[]): Range {
  const sum = { upper: 0, expected: 0 };
  for (const { upper, expected } of ranges) {
    sum.upper += upper;
    sum.expected += expected;
  }
  return sum;
}

/** Nothing times without bound is nothing: what is free needs no bound. */
export function times({ upper, expected }: Range, factor: number): Range {
  return factor === 0 ? NOTHING : { upper: upper * factor, expected: expected * factor };
}

/** The least and the most that a table has for what is told, such as a size and a quality; undefined for nothing. */
export function lookUp(
  table: PriceByKind,
  kinds: readonly unknown[],
): { least: number; most: number } | undefined {
  if (typeof table === "number") return { least: table, most: table };
  const told = kinds.filter((kind) => typeof kind === "string" && kind !== "auto");
  const open = kinds.length - told.length;
  const fitting = Object.entries(table)
    .map(([key, value]) => {
      const words = key.split(" ");
      return { value, words: words.length, named: words.filter((word) => told.includes(word)).length };
    })
    .filter(({ words, named }) => words <= kinds.length && words - named <= open);
  const named = Math.max(...fitting.map((entry) => entry.named));
  const values = fitting.filter((entry) => entry.named === named).map(({ value }) => value);
  return values.length === 0 ? undefined : { least: Math.min(...values), most: Math.max(...values) };
}
