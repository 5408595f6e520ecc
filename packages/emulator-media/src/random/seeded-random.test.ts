import { expect, test } from "vitest";
import { seededRandom } from "./seeded-random.js";

function numbers(seed: number, count = 1000): number[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, random);
}

test("repeats itself for the same seed", () => {
  expect(numbers(7)).toEqual(numbers(7));
  expect(numbers(-0)).toEqual(numbers(0));
});

test("differs between seeds, also in their fraction, sign and high bits", () => {
  const seeds = [0, 1, 2, -1, 0.1, 0.2, 2 ** 32 + 1, 2 ** 53 - 1];
  expect(new Set(seeds.map((seed) => numbers(seed, 1)[0])).size).toBe(seeds.length);
});

test("spreads evenly from 0 to below 1", () => {
  const tenths = new Array<number>(10).fill(0);
  for (const number of numbers(3, 10_000)) tenths[Math.floor(number * 10)]! += 1;
  for (const count of tenths) expect(Math.abs(count - 1000)).toBeLessThan(150);
});
