import fc from "fast-check";
import { expect, it } from "vitest";
import { decodeVector, encodeVector } from "./vector-bytes.js";

const vectors = fc
  .array(fc.float({ noNaN: true }), { minLength: 1, maxLength: 50 })
  .map((values) => Float32Array.from(values));

it("gives back what was written, wherever in a buffer it stands", () => {
  fc.assert(
    fc.property(vectors, fc.nat(9), (vector, offset) => {
      const bytes = encodeVector(vector);
      expect(bytes).toHaveLength(4 * vector.length + 4);
      const within = new Uint8Array(offset + bytes.length + 3);
      within.set(bytes, offset);
      const read = decodeVector(within.subarray(offset, offset + bytes.length));
      expect(read && [...read]).toEqual([...vector]);
    }),
  );
});

it("reads nothing that was changed, cut off, or written by others", () => {
  fc.assert(
    fc.property(vectors, fc.nat(), fc.integer({ min: 1, max: 255 }), (vector, at, change) => {
      const bytes = encodeVector(vector);
      const place = at % bytes.length;
      expect(decodeVector(bytes.subarray(0, place))).toBeUndefined();
      bytes[place] = (bytes[place] as number) ^ change;
      expect(decodeVector(bytes)).toBeUndefined();
    }),
  );
  for (const bytes of [[], [0, 0, 0, 0], [1, 2, 3], new Array(64).fill(0)])
    expect(decodeVector(Uint8Array.from(bytes))).toBeUndefined();
});
