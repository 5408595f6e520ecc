import fc from "fast-check";
import { expect, it } from "vitest";
import { DigestMap } from "./digest-map.js";

const digests = fc.tuple(fc.nat(7), fc.nat(5_000)).map(([start, end]) => {
  // Many begin alike: they want the same place.
  return `${start.toString(16).padStart(8, "0")}${end.toString(16).padStart(24, "0")}`;
});

it("holds what a Map holds, also when it grows", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(digests, fc.nat()), { minLength: 500, maxLength: 3_000 }), (entries) => {
      const map = new DigestMap();
      const expected = new Map<string, number>();
      for (const [digest, value] of entries) {
        map.set(digest, value);
        expected.set(digest, value);
      }
      expect(map.size).toBe(expected.size);
      for (const [digest, value] of expected) expect(map.get(digest)).toBe(value);
      expect(map.get("f".repeat(32))).toBeUndefined();
    }),
    { numRuns: 20 },
  );
});
