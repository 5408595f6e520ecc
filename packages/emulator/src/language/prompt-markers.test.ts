import { describe, expect, it } from "vitest";
import { readPromptMarkers, stripPromptMarkers } from "./prompt-markers.js";

const NONE = { delayMs: 0, fail: false, stuck: false, status: undefined };

describe("prompt markers", () => {
  it.each([
    ["a fox [[fail]]", { ...NONE, fail: true }, "a fox"],
    ["[[stuck]] a fox", { ...NONE, stuck: true }, "a fox"],
    ["[[429]]", { ...NONE, status: 429 }, ""],
    ["a fox [[slow:2s]] [[503]]\n", { ...NONE, delayMs: 2_000, status: 503 }, "a fox"],
    ["[[slow:250ms]] a fox [[fail]]", { ...NONE, delayMs: 250, fail: true }, "a fox"],
  ])("count at the start and at the end: %j", (prompt, markers, rest) => {
    expect({ ...NONE, ...readPromptMarkers(prompt) }).toEqual(markers);
    expect(stripPromptMarkers(prompt)).toBe(rest);
  });

  it.each(["The marker [[429]] makes a request fail.", "[[404 not found", "a [[b]] c", "[[600]]", ""])(
    "do not count anywhere else: %j",
    (prompt) => {
      expect({ ...NONE, ...readPromptMarkers(prompt) }).toEqual(NONE);
      expect(stripPromptMarkers(prompt)).toBe(prompt);
    },
  );
});
