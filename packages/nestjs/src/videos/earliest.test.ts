import { expect, it } from "vitest";
import { earliest } from "./earliest.js";

it("is the least, of however many", () => {
  expect(earliest([])).toBe(Number.POSITIVE_INFINITY);
  expect(earliest([3, 1, 2])).toBe(1);
  expect(earliest(Array.from({ length: 500_000 }, (_, index) => 500_000 - index))).toBe(1);
});
