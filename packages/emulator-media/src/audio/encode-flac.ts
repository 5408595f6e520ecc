import { createHash } from "node:crypto";
import { BitWriter } from "./bit-writer.js";
import { Crc } from "./crc.js";
import { encodePcm } from "./encode-wav.js";
import type { Sound } from "./sound.js";

// Numbers and names are those of RFC 9639.
const BLOCK_SIZE = 4096;
const BITS_PER_SAMPLE = 16;
const MAX_ORDER = 4;
const MAX_RICE_PARAMETER = 14;

// The sample rates that a frame's header has a code for; frames of any other cannot be played from the middle.
const SAMPLE_RATE_CODES: Record<number, number> = { 8000: 4, 16000: 5, 24000: 7, 48000: 10 };

const headerChecksum = new Crc({ bits: 8, polynomial: 0x07 });
const frameChecksum = new Crc({ bits: 16, polynomial: 0x8005 });

/**
 * Encodes sound as FLAC: fixed predictors and Rice codes, which take speech to about half its size. Not by
 * `@mediabunny/flac-encoder`: 1.7 MB of WebAssembly and an asynchronous muxer, in place of these lines.
 */
export function encodeFlac(sound: Sound): Uint8Array {
  const frames: Uint8Array[] = [];
  for (let start = 0; start < sound.samples.length; start += BLOCK_SIZE) {
    const samples = sound.samples.subarray(start, start + BLOCK_SIZE);
    frames.push(encodeFrame({ samples, sampleRate: sound.sampleRate }, frames.length));
  }
  return new Uint8Array(Buffer.concat([Buffer.from("fLaC"), streamInfo(sound), ...frames]));
}

/** The metadata block that every file begins with, as the last one (§8.2). */
function streamInfo(sound: Sound): Uint8Array {
  const block = new BitWriter(64);
  block.write(0x80, 8);
  block.write(34, 24);
  block.write(BLOCK_SIZE, 16);
  block.write(BLOCK_SIZE, 16);
  // The smallest and the largest frame: not known.
  block.write(0, 24);
  block.write(0, 24);
  block.write(sound.sampleRate, 20);
  block.write(0, 3);
  block.write(BITS_PER_SAMPLE - 1, 5);
  block.write(Math.floor(sound.samples.length / 2 ** 18), 18);
  block.write(sound.samples.length, 18);
  for (const byte of createHash("md5").update(encodePcm(sound)).digest()) block.write(byte, 8);
  return block.bytes();
}

/** One frame (§9): a header, one subframe, and checksums over both. */
function encodeFrame({ samples, sampleRate }: Sound, number: number): Uint8Array {
  const frame = new BitWriter(samples.length * 2 + 32);
  // Sync code and fixed block size; a block size that follows in 16 bits; one channel of 16 bits.
  frame.write(0xfff8, 16);
  frame.write(7, 4);
  frame.write(SAMPLE_RATE_CODES[sampleRate] ?? 0, 4);
  frame.write(0x08, 8);
  for (const byte of codeNumber(number)) frame.write(byte, 8);
  frame.write(samples.length - 1, 16);
  frame.write(headerChecksum.of(frame.bytes()), 8);
  writeSubframe(frame, samples);
  frame.align();
  frame.write(frameChecksum.of(frame.bytes()), 16);
  return frame.bytes();
}

/** The frame number in the extended UTF-8 of §9.1.5. */
function codeNumber(number: number): number[] {
  if (number < 0x80) return [number];
  const bytes: number[] = [];
  let left = number;
  // Room in the first byte shrinks by one bit for every byte that follows.
  while (left >= 2 ** (6 - bytes.length)) {
    bytes.unshift(0x80 | (left & 0x3f));
    left = Math.floor(left / 64);
  }
  const marker = (0xff << (7 - bytes.length)) & 0xff;
  return [marker | left, ...bytes];
}

/** Writes the samples as the differences of the order that leaves least (§9.2.5). */
function writeSubframe(frame: BitWriter, samples: Int16Array): void {
  let residual = Int32Array.from(samples);
  let best = { order: 0, residual, size: sizeOf(residual, 0) };
  for (let order = 1; order <= Math.min(MAX_ORDER, samples.length - 1); order++) {
    residual = differences(residual);
    const size = sizeOf(residual, order);
    if (size < best.size) best = { order, residual, size };
  }
  const { order } = best;
  frame.write((0b001000 | order) << 1, 8);
  for (let index = 0; index < order; index++) frame.write(samples[index]!, BITS_PER_SAMPLE);
  writeResidual(frame, best.residual, order);
}

function differences(values: Int32Array): Int32Array<ArrayBuffer> {
  const result = values.slice();
  for (let index = 1; index < result.length; index++) result[index] = values[index]! - values[index - 1]!;
  return result;
}

/** How much a residual comes to, not counting the first samples, which are stored as they are. */
function sizeOf(residual: Int32Array, order: number): number {
  let sum = 0;
  for (let index = order; index < residual.length; index++) sum += Math.abs(residual[index]!);
  return sum;
}

/** Writes Rice codes (§9.2.7) with a parameter for each 16th of a whole block, or one for a shorter one. */
function writeResidual(frame: BitWriter, residual: Int32Array, order: number): void {
  const partitionOrder = residual.length === BLOCK_SIZE ? 4 : 0;
  const partition = residual.length >> partitionOrder;
  frame.write(0, 2);
  frame.write(partitionOrder, 4);
  for (let start = 0; start < residual.length; start += partition) {
    const values = residual.subarray(Math.max(start, order), start + partition);
    const parameter = riceParameter(values);
    frame.write(parameter, 4);
    for (let index = 0; index < values.length; index++) {
      const value = values[index]!;
      // Signs alternate: 0, -1, 1, -2, 2, …
      const folded = value >= 0 ? 2 * value : -2 * value - 1;
      frame.writeUnary(folded >>> parameter);
      frame.write(folded, parameter);
    }
  }
}

/** The number of low bits that makes the rest of a typical value one bit or two. */
function riceParameter(values: Int32Array): number {
  const mean = (2 * sizeOf(values, 0)) / Math.max(1, values.length);
  return Math.min(MAX_RICE_PARAMETER, Math.floor(Math.log2(mean + 1)));
}
