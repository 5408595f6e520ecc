import { seededRandom } from "../random/seeded-random.js";

/** Samples per second, one channel. */
export const SAMPLE_RATE = 48_000;

const NOTE_SECONDS = 0.5;
const LOUDNESS = 0.12;
const ROOT_HERTZ = 220;
// A pentatonic scale in semitones: any order of its notes sounds agreeable.
const SCALE = [0, 2, 4, 7, 9, 12];

/** A quiet melody chosen by the seed: two notes per second, each fading in and out, from -1 to 1. */
export function composeSoundtrack(samples: number, seed: number): Float32Array {
  const random = seededRandom(seed);
  const noteSamples = NOTE_SECONDS * SAMPLE_RATE;
  const sound = new Float32Array(samples);
  for (let start = 0; start < samples; start += noteSamples) {
    const semitones = SCALE[Math.floor(random() * SCALE.length)]!;
    const step = (2 * Math.PI * ROOT_HERTZ * 2 ** (semitones / 12)) / SAMPLE_RATE;
    for (let i = 0; i < Math.min(noteSamples, samples - start); i++) {
      const envelope = Math.sin((Math.PI * i) / noteSamples);
      sound[start + i] = LOUDNESS * envelope * (Math.sin(step * i) + 0.3 * Math.sin(2 * step * i));
    }
  }
  return sound;
}
