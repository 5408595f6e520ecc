import { expect, test } from "vitest";
import { assertSpeechRequest, type SpeechRequest } from "./speech-request.js";

const valid: SpeechRequest = { text: "hello", voice: "alloy", format: "mp3" };

test.each<[string, object, string]>([
  ["text that is too long", { text: "a".repeat(4097) }, "4097 characters"],
  ["no text", { text: "" }, "Speech text is empty"],
  ["text without anything visible", { text: " \n\u200b" }, "Speech text is empty"],
  ["no voice", { voice: " " }, "Speech voice is empty"],
  ["an unknown format", { format: "ogg" }, "one of mp3, wav, opus, flac, aac, pcm"],
  ["a speed that is too low", { speed: 0.2 }, "Speech speed 0.2"],
  ["a speed that is no number", { speed: Number.NaN }, "from 0.25 to 4"],
  ["a seed that is no number", { seed: Number.POSITIVE_INFINITY }, "Speech seed Infinity"],
])("refuses %s", (_, change, message) => {
  expect(() => assertSpeechRequest({ ...valid, ...change })).toThrow(RangeError);
  expect(() => assertSpeechRequest({ ...valid, ...change })).toThrow(message);
});

test.each([["text"], ["voice"]])("refuses a %s that is no string", (name) => {
  expect(() => assertSpeechRequest({ ...valid, [name]: 1 })).toThrow(TypeError);
  expect(() => assertSpeechRequest({ ...valid, [name]: 1 })).toThrow(`Speech ${name} must be a string`);
});

test("counts characters, not UTF-16 units", () => {
  expect(() => assertSpeechRequest({ ...valid, text: "🦊".repeat(4096) })).not.toThrow();
  expect(() => assertSpeechRequest({ ...valid, text: "🦊".repeat(4097) })).toThrow(RangeError);
});
