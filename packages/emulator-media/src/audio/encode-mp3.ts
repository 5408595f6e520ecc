import { createMp3Encoder } from "wasm-media-encoders";
import type { Sound } from "./sound.js";

const KILOBITS_PER_SECOND = 64;

// The encoder's memory grows with the largest piece that it is given.
const SAMPLES_PER_PIECE = 1152 * 32;

let encoder: ReturnType<typeof createMp3Encoder> | undefined;

/** Encodes sound as MP3 with a constant bit rate. */
export async function encodeMp3({ samples, sampleRate }: Sound): Promise<Uint8Array> {
  encoder ??= createMp3Encoder();
  const lame = await encoder;
  lame.configure({ channels: 1, sampleRate, outputSampleRate: 24_000, bitrate: KILOBITS_PER_SECOND });
  const pieces: Uint8Array[] = [];
  for (let start = 0; start < samples.length; start += SAMPLES_PER_PIECE) {
    const piece = new Float32Array(samples.subarray(start, start + SAMPLES_PER_PIECE));
    for (let index = 0; index < piece.length; index++) piece[index] = piece[index]! / 32768;
    // What the encoder returns is its own memory, which the next call writes over.
    pieces.push(lame.encode([piece]).slice());
  }
  pieces.push(lame.finalize().slice());
  return new Uint8Array(Buffer.concat(pieces));
}
