import { expect, test } from "vitest";
import { splitRuns } from "./split-runs.js";

/** Runs as text: what is played stands in braces. */
function runs(text: string): string {
  return splitRuns(text)
    .map((run) => (run.kind === "tones" ? `{${run.text}}` : run.text))
    .join("|");
}

test.each([
  ["Hello, world!", "Hello, world!"],
  ["Crème “brûlée” – naïve", 'Creme "brulee" - naive'],
  ["你好", "{你好}"],
  ["Hello 世界, again", "Hello |{世界, }|again"],
  ["你好world。", "{你好}|world."],
  ["狐 (fox) 狐", "{狐 }|(fox) |{狐}"],
  ["5 € or £5", "5  euros  or  pounds 5"],
  ["one\ntwo\tthree", "one two three"],
  ["Привет 42", "{Привет }|42"],
  ["...", "{...}"],
  ["🦊", "{🦊}"],
])("splits %j", (text, expected) => {
  expect(runs(text)).toBe(expected);
});
