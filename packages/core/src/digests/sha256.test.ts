import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { sha256 } from "./sha256.js";

const expected = (text: string) => createHash("sha256").update(text, "utf8").digest("hex");

it("is SHA-256 of a text in UTF-8, at every length around the end of a block", () => {
  for (const letters of ["a", "aé", "漢", "🚀"])
    for (let length = 0; length < 140; length++) {
      const text = letters.repeat(length);
      expect(sha256(text), `${letters} × ${length}`).toBe(expected(text));
    }
  const long = "x".repeat(1_000_003);
  expect(sha256(long)).toBe(expected(long));
});

it("is so for any text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      expect(sha256(text)).toBe(expected(text));
    }),
  );
});
