import { expect, test } from "vitest";
import { decodeSound } from "../../test/decode-sound.js";
import { seededRandom } from "../random/seeded-random.js";
import { encodeFlac } from "./encode-flac.js";

const random = seededRandom(1);

test.each([
  ["silence", () => 0],
  ["noise at full scale", () => Math.floor(random() * 65_536) - 32_768],
  ["a square wave at full scale", (index: number) => (index % 50 < 25 ? 32_767 : -32_768)],
  ["a tone", (index: number) => Math.round(9000 * Math.sin(index / 20))],
  ["a constant", () => -123],
])("keeps every sample of %s", async (_, sample) => {
  for (const length of [1, 2, 17, 4096, 10_000]) {
    const samples = Int16Array.from({ length }, (_, index) => sample(index));
    const decoded = await decodeSound(encodeFlac({ samples, sampleRate: 24_000 }), "flac");
    expect(decoded.sampleRate).toBe(24_000);
    expect(Int16Array.from(decoded.samples, (value) => value * 32_768)).toEqual(samples);
  }
});

test("numbers more frames than one byte can", async () => {
  const samples = Int16Array.from({ length: 4096 * 2100 }, (_, index) => index % 7);
  const decoded = await decodeSound(encodeFlac({ samples, sampleRate: 24_000 }), "flac");
  expect(decoded.samples).toHaveLength(samples.length);
});
