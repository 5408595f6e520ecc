import { expect, test } from "vitest";
import { findVoice, speechVoices } from "./voices.js";

test("knows the names that speech services have in common, each with a voice of its own", () => {
  expect(speechVoices).toEqual(
    expect.arrayContaining([
      "alloy",
      "echo",
      "fable",
      "onyx",
      "nova",
      "shimmer",
      "coral",
      "sage",
      "ash",
      "ballad",
      "verse",
    ]),
  );
  const distinct = new Set(speechVoices.map((name) => JSON.stringify(findVoice(name))));
  // kal and kal16 are one voice at two sample rates.
  expect(distinct.size).toBe(speechVoices.length);
});

test("makes up a voice for any other name, the same every time", () => {
  const names = Array.from({ length: 50 }, (_, index) => `voice-${index}`);
  const voices = names.map((name) => findVoice(name));
  expect(new Set(voices.map((voice) => JSON.stringify(voice))).size).toBe(50);
  expect(new Set(voices.map(({ base }) => base)).size).toBe(4);
  expect(names.map((name) => findVoice(name))).toEqual(voices);
  expect(findVoice("constructor").base).toEqual(expect.any(String));
});

test("varies a voice slightly by the seed", () => {
  const [plain, seeded] = [findVoice("nova"), findVoice("nova", 7)];
  expect(seeded.base).toBe(plain.base);
  expect(seeded.pitch).not.toBe(plain.pitch);
  expect(Math.abs(seeded.pitch / plain.pitch - 1)).toBeLessThan(0.05);
  expect(Math.abs(seeded.pace / plain.pace - 1)).toBeLessThan(0.06);
});
