import { expect, test } from "vitest";
import { resample } from "./resample.js";

function sine(hertz: number, rate: number, length: number): Int16Array {
  return Int16Array.from({ length }, (_, index) => 12_000 * Math.sin((2 * Math.PI * hertz * index) / rate));
}

test.each([
  [8000, 24_000, 440],
  [16_000, 24_000, 440],
  [16_000, 24_000, 5000],
  [17_600, 24_000, 1000],
])("turns a tone at %i samples per second into the same at %i", (from, to, hertz) => {
  const result = resample(sine(hertz, from, from / 2), from, to);
  const expected = sine(hertz, to, to / 2);
  expect(Math.abs(result.length - expected.length)).toBeLessThanOrEqual(1);
  // Both ends fade into the silence around the sound.
  for (let index = 100; index < result.length - 100; index++) {
    expect(Math.abs(result[index]! - expected[index]!)).toBeLessThan(150);
  }
});

test("clips instead of wrapping around", () => {
  const square = Int16Array.from({ length: 400 }, (_, index) => (index % 40 < 20 ? 32_767 : -32_768));
  const result = resample(square, 16_000, 24_000);
  for (let index = 1; index < result.length; index++) {
    const [before, after] = [result[index - 1]!, result[index]!];
    if (before === 32_767) expect(after).toBeGreaterThan(-10_000);
  }
  expect(result.includes(32_767)).toBe(true);
});

test("takes no sound", () => {
  expect(resample(new Int16Array(), 16_000, 24_000)).toHaveLength(0);
});
