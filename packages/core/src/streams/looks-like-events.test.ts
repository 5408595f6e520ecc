import { describe, expect, it } from "vitest";
import { looksLikeEvents } from "./looks-like-events.js";

const encoder = new TextEncoder();

describe("looksLikeEvents", () => {
  it.each<[text: string, expected: boolean]>([
    ["data: {}\n\n", true],
    [": hello\n\n", true],
    ["event: x", true],
    ["\uFEFF\n data: <html>", true],
    ["", false],
    [" \r\n\t", false],
    ["{", false],
    ['[{"id":1}]', false],
    ['"text"', false],
    ["<html>", false],
    ["\uFEFF \n{}", false],
  ])("of %j is %j, wherever it is cut", (text, expected) => {
    const bytes = encoder.encode(text);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const chunks = [bytes.subarray(0, cut), bytes.subarray(cut)];
      expect(looksLikeEvents(chunks)).toBe(expected);
    }
  });

  it("is not said of bytes that are no whole character yet", () => {
    expect(looksLikeEvents([encoder.encode("\uFEFF").subarray(0, 2)])).toBe(false);
  });
});
