import { expect, test } from "vitest";
import { assertVideoRequest, countFrames } from "./video-request.js";

const valid = { width: 864, height: 496, durationSeconds: 5, prompt: "a fox", seed: 1, audio: false };

test.each([
  ["an odd width", { width: 865 }, "Video width 865 is odd"],
  ["an odd height", { height: 497 }, "use 496 or 498"],
  ["a fraction", { width: 864.5 }, "must be a whole number"],
  ["a side that is too small", { height: 62 }, "from 64 to 4096"],
  ["a side that is too large", { width: 4098 }, "from 64 to 4096"],
  ["too many pixels", { width: 4096, height: 4096 }, "4096x4096 is too large"],
  ["no length", { durationSeconds: 0 }, "duration 0 s"],
  ["a length that is no number", { durationSeconds: Number.NaN }, "duration NaN s"],
  ["too long a video", { durationSeconds: 61 }, "at most 60 s"],
  ["a seed that is no number", { seed: Number.POSITIVE_INFINITY }, "finite"],
])("refuses %s", (_, change, message) => {
  expect(() => assertVideoRequest({ ...valid, ...change })).toThrow(RangeError);
  expect(() => assertVideoRequest({ ...valid, ...change })).toThrow(message);
});

test.each([
  [64, 64],
  [4096, 2304],
  [2160, 3840],
])("takes %i x %i", (width, height) => {
  expect(() => assertVideoRequest({ ...valid, width, height })).not.toThrow();
});

test("counts whole frames of 1/24 s, at least one", () => {
  expect(countFrames({ durationSeconds: 5 })).toBe(120);
  expect(countFrames({ durationSeconds: 1.99 })).toBe(48);
  expect(countFrames({ durationSeconds: 0.001 })).toBe(1);
});
