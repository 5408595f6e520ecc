import { expect, it } from "vitest";
import { mayBeImage } from "./may-be-image.js";

it.each([
  ["image/png", true],
  ["IMAGE/SVG+XML; charset=utf-8", true],
  ["application/octet-stream", true],
  ["binary/octet-stream; x=1", true],
  ["application/octet-stream-archive", true],
  ["application/octet-streams", false],
  ["text/html; was=image/png", false],
  [" image/png", false],
  ["application/json", false],
  ["", false],
])("what is sent as %j may be an image: %j", (contentType, may) => {
  expect(mayBeImage(contentType)).toBe(may);
});
