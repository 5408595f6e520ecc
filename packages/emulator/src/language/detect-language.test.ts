import { expect, it } from "vitest";
import { languageOf } from "./detect-language.js";

it.each([
  ["When does the shop close?", "en"],
  ["Summarize this:", "en"],
  ["JSON", "en"],
  ["", "en"],
  ["Wann schließt der Laden?", "de"],
  ["Worum geht es hier, in einem Satz?", "de"],
  ["Fasse den Text zusammen", "de"],
  ["商店几点关门？", "zh"],
  ["请用 JSON 回答", "zh"],
  ["What does 你好 mean, please?", "en"],
])("%s is %s", (text, language) => {
  expect(languageOf(text)).toBe(language);
});

it("asks what stands around a text that tells nothing", () => {
  expect(languageOf("OK!", "Wo ist das Paket?")).toBe("de");
  expect(languageOf("Wo ist das Paket?", "Where is it?")).toBe("de");
});
