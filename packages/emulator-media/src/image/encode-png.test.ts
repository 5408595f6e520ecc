import { decode } from "fast-png";
import { expect, test } from "vitest";
import { encodePng } from "./encode-png.js";

test.each([
  [1, 1],
  [3, 2],
  [257, 130],
])("encodes %i x %i pixels so that another decoder reads the same ones", (width, height) => {
  const data = Uint8Array.from({ length: width * height * 3 }, (_, index) => (index * 97 + index ** 2) % 256);
  const decoded = decode(encodePng({ width, height, data }), { checkCrc: true });
  expect(decoded).toMatchObject({ width, height, channels: 3, depth: 8 });
  expect(Buffer.from(decoded.data as Uint8Array).equals(Buffer.from(data))).toBe(true);
});
