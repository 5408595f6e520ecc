import { expect, test } from "vitest";
import { composeSoundtrack, SAMPLE_RATE } from "./soundtrack.js";

const NOTE = SAMPLE_RATE / 2;

/** The pitch of a stretch of sound in hertz, from the length of its rising zero crossings. */
function pitch(sound: Float32Array): number {
  const crossings: number[] = [];
  for (let i = 1; i < sound.length; i++) if (sound[i - 1]! < 0 && sound[i]! >= 0) crossings.push(i);
  return ((crossings.length - 1) * SAMPLE_RATE) / (crossings.at(-1)! - crossings[0]!);
}

test("is as long as asked for, quiet, and silent where notes meet", () => {
  const sound = composeSoundtrack(5 * NOTE + 100, 1);
  expect(sound).toHaveLength(5 * NOTE + 100);
  const loudest = sound.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);
  expect(loudest).toBeGreaterThan(0.08);
  expect(loudest).toBeLessThan(0.2);
  for (let note = 0; note < 5; note++) expect(Math.abs(sound[note * NOTE]!)).toBeLessThan(0.001);
});

test("plays notes of a pentatonic scale on 220 Hz", () => {
  const sound = composeSoundtrack(20 * NOTE, 1);
  const scale = [220, 246.9, 277.2, 329.6, 370, 440];
  const pitches = Array.from({ length: 20 }, (_, note) =>
    pitch(sound.subarray(note * NOTE, (note + 1) * NOTE)),
  );
  for (const hertz of pitches) {
    expect(Math.min(...scale.map((note) => Math.abs(note - hertz)))).toBeLessThan(2);
  }
  expect(new Set(pitches.map(Math.round)).size).toBeGreaterThan(2);
});

test("plays another melody for another seed", () => {
  expect(composeSoundtrack(4 * NOTE, 1)).toEqual(composeSoundtrack(4 * NOTE, 1));
  expect(composeSoundtrack(4 * NOTE, 1)).not.toEqual(composeSoundtrack(4 * NOTE, 2));
});
