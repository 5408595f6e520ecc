import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byteLength, measureText } from "./measure-text.js";

describe("the size of a text", () => {
  it("is never less than its bytes, and no more for ASCII", () => {
    const bytes = (text: string) => new TextEncoder().encode(text).length;
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => byteLength(text) >= bytes(text)));
    fc.assert(fc.property(fc.string({ unit: "grapheme-ascii" }), (text) => byteLength(text) === bytes(text)));
    expect(byteLength("é漢")).toBe(5);
  });

  it("is that of everything a model is given to read, without what is no text", () => {
    const data = "A".repeat(100_000);
    const messages = [
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url: data } },
          { type: "text", text: "Hi" },
        ],
      },
    ];
    const { bytes, media } = measureText(messages);
    expect(media).toBe(1);
    expect(bytes).toBeLessThan(200);
  });
});
