import { decode } from "fast-png";
import { expect, test } from "vitest";
import { encodePng } from "./encode-png.js";

test.each([
  [1, 1, 3],
  [3, 2, 3],
  [257, 130, 3],
  [1, 1, 4],
  [257, 130, 4],
] as const)(
  "encodes %i x %i pixels of %i channels so that another decoder reads the same ones",
  (width, height, channels) => {
    const data = Uint8Array.from(
      { length: width * height * channels },
      (_, index) => (index * 97 + index ** 2) % 256,
    );
    const decoded = decode(encodePng({ width, height, channels, data }), { checkCrc: true });
    expect(decoded).toMatchObject({ width, height, channels, depth: 8 });
    expect(Buffer.from(decoded.data as Uint8Array).equals(Buffer.from(data))).toBe(true);
  },
);
