import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { sha256 } from "./sha256.js";

function expected(text: string): string {
  const wide = text.split("").some((letter) => letter.charCodeAt(0) > 255);
  const bytes = wide ? Buffer.from(text, "utf16le").swap16() : Buffer.from(text, "latin1");
  return createHash("sha256").update(bytes).digest("hex");
}

it("is SHA-256 of the bytes or units of a text, at every length around the end of a block", () => {
  for (const letters of ["aéÿ", "aé漢"])
    for (let length = 0; length < 140; length++) {
      const text = letters.repeat(50).slice(0, length);
      expect(sha256(text), `length ${length}`).toBe(expected(text));
    }
  const long = "x".repeat(1_000_003);
  expect(sha256(long)).toBe(expected(long));
});

it("tells any two texts apart, halves of surrogate pairs too", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      expect(sha256(text)).toBe(expected(text));
    }),
  );
  expect(sha256("\ud800")).not.toBe(sha256("\ud801"));
  expect(sha256("\ud800")).toBe(expected("\ud800"));
});
