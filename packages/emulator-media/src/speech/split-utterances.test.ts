import { expect, test } from "vitest";
import { splitUtterances } from "./split-utterances.js";

test("keeps a short text whole, with single spaces", () => {
  expect(splitUtterances(" One.  Two\n three ")).toEqual(["One. Two three"]);
  expect(splitUtterances("  ")).toEqual([]);
});

test("cuts after sentences once there is enough", () => {
  const sentence = "A sentence that is neither very short nor really long, in all its forty words or so.";
  expect(splitUtterances(`${sentence} ${sentence} End.`)).toEqual([sentence, sentence, "End."]);
});

test("cuts between words where no sentence ends, and loses none", () => {
  const text = "word ".repeat(500).trim();
  const utterances = splitUtterances(text);
  for (const utterance of utterances) expect(utterance.length).toBeLessThanOrEqual(240);
  expect(utterances.join(" ")).toBe(text);
});

test("cuts words that nobody could speak", () => {
  const utterances = splitUtterances("9".repeat(1000));
  for (const utterance of utterances) expect(utterance.length).toBeLessThanOrEqual(240);
  expect(utterances.join("").replaceAll(" ", "")).toBe("9".repeat(1000));
});
