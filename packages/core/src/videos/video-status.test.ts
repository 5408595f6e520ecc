import { describe, expect, it } from "vitest";
import { isTerminal, readStatusWord, videoOutcome } from "./video-status.js";

describe("readStatusWord", () => {
  it.each<[string, string[]]>([
    ["queued", ["queued", "submitted", "pending", "not_start"]],
    ["running", ["running", "processing", "in_progress", "unknown", "anything else", ""]],
    ["succeeded", ["success", "succeed", "succeeded", "completed"]],
    ["failed", ["fail", "failed", "failure", "error"]],
    ["cancelled", ["canceled", "cancelled"]],
    ["expired", ["expired"]],
  ])("reads the words of %s in any case", (status, words) => {
    for (const word of words) {
      expect(readStatusWord(word)).toBe(status);
      expect(readStatusWord(` ${word.toUpperCase()} `)).toBe(status);
    }
  });

  it("keeps polling when there is no word", () => {
    expect(readStatusWord(undefined)).toBe("running");
  });
});

describe("videoOutcome", () => {
  it.each([
    ["queued", false, "pending"],
    ["running", false, "pending"],
    ["succeeded", true, "success"],
    ["failed", true, "failure"],
    ["cancelled", true, "failure"],
    ["expired", true, "failure"],
  ] as const)("%s", (status, terminal, outcome) => {
    expect(isTerminal(status)).toBe(terminal);
    expect(videoOutcome({ status })).toBe(outcome);
  });
});
