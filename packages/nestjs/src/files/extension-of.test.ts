import { expect, it } from "vitest";
import { extensionOf } from "./extension-of.js";

it.each([
  ["image/png", ".png"],
  ["Image/JPEG; charset=binary", ".jpg"],
  ["audio/mpeg", ".mp3"],
  ["application/octet-stream", ""],
  ["../png", ""],
  ["", ""],
])("a file of %j ends in %j", (mediaType, extension) => {
  expect(extensionOf(mediaType)).toBe(extension);
});
