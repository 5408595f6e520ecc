import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeLine } from "./journal-format.js";
import { mendLine } from "./mend-line.js";

const lines = fc
  .tuple(fc.json({ maxDepth: 2 }), fc.nat())
  .map(([entry, length]) => encodeLine(entry, length).subarray(0, -1));

function flip(line: Buffer, bits: readonly number[]): Buffer {
  const copy = Buffer.from(line);
  for (const bit of bits) copy.writeUInt8(copy.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
  return copy;
}

describe("a line with wrong bits", () => {
  it("is put right when it is one, whichever", () => {
    fc.assert(
      fc.property(lines, fc.nat(), (line, seed) => {
        const bit = seed % (line.length * 8);
        expect(mendLine(flip(line, [bit]))).toEqual(line);
      }),
    );
  });

  it("is made nothing else when it is two", () => {
    fc.assert(
      fc.property(lines, fc.nat(), fc.nat(), (line, one, other) => {
        const bits = [one % (line.length * 8), other % (line.length * 8)] as const;
        fc.pre(bits[0] !== bits[1]);
        expect(mendLine(flip(line, bits))).toBeUndefined();
      }),
    );
  });

  it("is left alone when there is no line", () => {
    for (const text of ["", "0", "00000000 ", "Dear diary, nothing happened."]) {
      expect(mendLine(Buffer.from(text))).toBeUndefined();
    }
  });
});
