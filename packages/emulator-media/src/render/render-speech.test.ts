import { afterAll, describe, expect, test } from "vitest";
import { decodeSound } from "../../test/decode-sound.js";
import type { SpeechFormat, SpeechRequest } from "../speech/speech-request.js";
import { speechVoices } from "../speech/voices.js";
import { closeMedia } from "./close-media.js";
import { renderSpeech } from "./render-speech.js";

const FORMATS: SpeechFormat[] = ["mp3", "wav", "opus", "flac", "aac", "pcm"];
const request: SpeechRequest = { text: "Hello from the emulator.", voice: "alloy", format: "wav" };

afterAll(closeMedia);

async function speak(change: Partial<SpeechRequest> = {}) {
  const speech = await renderSpeech({ ...request, ...change });
  return { ...speech, sound: await decodeSound(speech.bytes, change.format ?? request.format) };
}

function rms(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
}

/** How alike two sounds are, from -1 to 1, at the delay within `reach` samples that suits best. */
function likeness(left: Float32Array, right: Float32Array, reach: number): number {
  let best = -1;
  for (let delay = 0; delay <= reach; delay++) {
    let [product, leftPower, rightPower] = [0, 0, 0];
    for (let index = 0; index < Math.min(left.length, right.length - delay); index++) {
      product += left[index]! * right[index + delay]!;
      leftPower += left[index]! ** 2;
      rightPower += right[index + delay]! ** 2;
    }
    best = Math.max(best, product / Math.sqrt(leftPower * rightPower));
  }
  return best;
}

describe("the file", () => {
  test.each([
    ["mp3", "audio/mpeg", 0.15],
    ["wav", "audio/wav", 0],
    ["opus", "audio/ogg; codecs=opus", 0.001],
    ["flac", "audio/flac", 0],
    ["aac", "audio/aac", 0.15],
    ["pcm", "audio/pcm;rate=24000", 0],
  ] as const)("is %s that lasts as long as it says", async (format, mediaType, padding) => {
    const speech = await speak({ format });
    expect(speech).toMatchObject({ mediaType, sampleRate: 24_000, spoken: "speech" });
    expect(speech.durationSeconds).toBeGreaterThan(1);
    expect(speech.sound.seconds).toBeGreaterThanOrEqual(speech.durationSeconds - 0.001);
    expect(speech.sound.seconds).toBeLessThanOrEqual(speech.durationSeconds + padding + 0.001);
    expect(speech.sound.sampleRate).toBe(format === "opus" ? 48_000 : 24_000);
    if (format !== "aac") expect(rms(speech.sound.samples)).toBeGreaterThan(0.05);
  });

  test("has the very samples of the WAV as FLAC and PCM, in fewer bytes as FLAC", async () => {
    const wav = await speak();
    const pcm = await speak({ format: "pcm" });
    const flac = await speak({ format: "flac" });
    expect(Buffer.from(pcm.bytes).equals(wav.bytes.subarray(44))).toBe(true);
    expect(flac.sound.samples).toEqual(wav.sound.samples);
    expect(flac.bytes.length).toBeLessThan(wav.bytes.length * 0.7);
  });

  test("sounds like the WAV as MP3 and Opus", async () => {
    const wav = (await speak()).sound.samples;
    const mp3 = (await speak({ format: "mp3" })).sound.samples;
    const opus = (await speak({ format: "opus" })).sound.samples.filter((_, index) => index % 2 === 0);
    expect(likeness(wav, mp3, 2400)).toBeGreaterThan(0.95);
    expect(likeness(wav, opus, 2)).toBeGreaterThan(0.9);
  });
});

describe("what is heard", () => {
  test("is speech for hello and tones for 你好, and both for both", async () => {
    const hello = await speak({ text: "hello" });
    const greeting = await speak({ text: "你好" });
    const both = await speak({ text: "hello 你好" });
    expect(hello.spoken).toBe("speech");
    expect(greeting.spoken).toBe("tones");
    expect(rms(greeting.sound.samples)).toBeGreaterThan(0.05);
    expect(both.spoken).toBe("speech");
    expect(both.durationSeconds).toBeCloseTo(hello.durationSeconds + greeting.durationSeconds, 2);
    expect(both.sound.samples.subarray(0, hello.sound.samples.length)).toEqual(hello.sound.samples);
  });

  test.each([
    ["Cyrillic", "Привет, мир"],
    ["Arabic", "مرحبا"],
    ["Japanese", "こんにちは"],
    ["emoji", "🦊🦊"],
    ["half a surrogate pair", "\ud83e"],
    ["punctuation", "..."],
  ])("is tones for %s", async (_, text) => {
    const { spoken, sound } = await speak({ text });
    expect(spoken).toBe("tones");
    expect(rms(sound.samples)).toBeGreaterThan(0.05);
  });

  test("is speech for accented Latin and signs that have a word", async () => {
    const accented = await speak({ text: "Crème brûlée" });
    expect(accented.spoken).toBe("speech");
    expect(accented.sound.samples).toEqual((await speak({ text: "Creme brulee" })).sound.samples);
    expect((await speak({ text: "5 €" })).durationSeconds).toBeGreaterThan(
      (await speak({ text: "5" })).durationSeconds + 0.2,
    );
  });

  test("differs from voice to voice", async () => {
    const names = [...speechVoices, "somebody", "somebody else"];
    const files = await Promise.all(names.map(async (voice) => (await speak({ voice })).bytes));
    expect(new Set(files.map((bytes) => Buffer.from(bytes).toString("base64"))).size).toBe(names.length);
  });

  test("differs from voice to voice where only tones are heard, too", async () => {
    const [onyx, shimmer] = [
      await speak({ text: "你好", voice: "onyx" }),
      await speak({ text: "你好", voice: "shimmer" }),
    ];
    expect(onyx.sound.samples).not.toEqual(shimmer.sound.samples);
  });

  test("takes less time at a higher speed, in speech and in tones", async () => {
    for (const text of ["A sentence of several words.", "一二三四五六"]) {
      const [slow, normal, fast] = [
        await speak({ text, speed: 0.25 }),
        await speak({ text }),
        await speak({ text, speed: 4 }),
      ];
      expect(slow.durationSeconds).toBeGreaterThan(2.5 * normal.durationSeconds);
      expect(fast.durationSeconds).toBeLessThan(0.5 * normal.durationSeconds);
      expect(rms(fast.sound.samples)).toBeGreaterThan(0.02);
    }
  });

  test("speaks as many characters as are allowed, in sentences or without an end", async () => {
    const sentences = "The quick brown fox jumps over the lazy dog. ".repeat(100).slice(0, 4096);
    const { sound } = await speak({ text: sentences, voice: "kal16", format: "opus" });
    expect(sound.seconds).toBeGreaterThan(150);
    expect((await speak({ text: "a".repeat(4096), voice: "kal16" })).durationSeconds).toBeGreaterThan(60);
  });
});

describe("the call", () => {
  test.each(FORMATS)("gives equal bytes for equal input, also from a new thread, as %s", async (format) => {
    const text = "Equal 狐";
    const first = await renderSpeech({ ...request, text, format });
    const other = await renderSpeech({ ...request, text: "Other 狐", format });
    await closeMedia();
    await renderSpeech({ ...request, text: "Something first", format });
    const second = await renderSpeech({ ...request, text, voice: " Alloy ", format });
    expect(Buffer.from(first.bytes).equals(second.bytes)).toBe(true);
    expect(Buffer.from(first.bytes).equals(other.bytes)).toBe(false);
  });

  test("varies with the seed", async () => {
    const files = await Promise.all(
      [undefined, 1, 2, 1].map(async (seed) => Buffer.from((await speak({ seed })).bytes).toString("base64")),
    );
    expect(files[1]).toBe(files[3]);
    expect(new Set(files).size).toBe(3);
  });

  test("gives every caller bytes of its own", async () => {
    const spoiled = await speak();
    const before = spoiled.bytes.slice();
    spoiled.bytes.fill(0);
    expect((await speak()).bytes).toEqual(before);
  });

  test("refuses text that is too long before any work is done", async () => {
    await expect(renderSpeech({ ...request, text: "a".repeat(4097) })).rejects.toThrow(RangeError);
  });
});
