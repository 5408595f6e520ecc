import { expect, test } from "vitest";
import { assertImageRequest, type ImageRequest } from "./image-request.js";

const valid: ImageRequest = { width: 1024, height: 1024, prompt: "a fox", seed: 1, format: "png" };

test.each<[string, object, string]>([
  ["a fraction", { width: 100.5 }, "Image width 100.5"],
  ["a side that is too small", { height: 15 }, "Image height 15"],
  ["a side that is too large", { width: 8193, height: 16 }, "from 16 to 8192"],
  ["too many pixels", { width: 4097, height: 4096 }, "4097x4096 is too large"],
  ["a seed that is no number", { seed: Number.NaN }, "Image seed NaN"],
  ["an unknown format", { format: "gif" }, "one of png, jpeg, webp"],
  ["an unknown background", { background: "auto" }, "Image background auto"],
  ["transparency in a JPEG", { background: "transparent", format: "jpeg" }, 'use format "png" or "webp"'],
  ["a quality of nothing", { quality: 0 }, "Image quality 0"],
  ["a quality above 100", { quality: 101 }, "from 1 to 100"],
  ["too many details", { details: Array(17).fill("x") }, "details are too many: 17"],
  ["too many inputs", { inputs: Array(17).fill(new Uint8Array(1)) }, "inputs are too many: 17"],
])("refuses %s", (_, change, message) => {
  expect(() => assertImageRequest({ ...valid, ...change })).toThrow(RangeError);
  expect(() => assertImageRequest({ ...valid, ...change })).toThrow(message);
});

test.each<[string, object]>([
  ["prompt", { prompt: undefined }],
  ["details", { details: "1024x1024" }],
  ["details", { details: [1] }],
  ["inputs", { inputs: new Uint8Array(4) }],
])("refuses %s of another type", (name, change) => {
  expect(() => assertImageRequest({ ...valid, ...change })).toThrow(TypeError);
  expect(() => assertImageRequest({ ...valid, ...change })).toThrow(`Image ${name} must be`);
});

test.each([
  [4096, 4096],
  [8192, 2048],
  [16, 16],
])("takes %i x %i", (width, height) => {
  expect(() => assertImageRequest({ ...valid, width, height })).not.toThrow();
});
