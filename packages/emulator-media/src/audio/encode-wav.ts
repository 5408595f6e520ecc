import type { Sound } from "./sound.js";

const HEADER_BYTES = 44;
const PCM = 1;
const BYTES_PER_SAMPLE = 2;

/** The samples as bytes, little-endian. */
export function encodePcm({ samples }: Pick<Sound, "samples">): Uint8Array {
  const bytes = new Uint8Array(samples.length * BYTES_PER_SAMPLE);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < samples.length; index++) {
    view.setInt16(index * BYTES_PER_SAMPLE, samples[index]!, true);
  }
  return bytes;
}

/** Encodes sound as a 16-bit PCM WAV file. */
export function encodeWav(sound: Sound): Uint8Array {
  const data = encodePcm(sound);
  const header = Buffer.alloc(HEADER_BYTES);
  header.write("RIFF", 0, "latin1");
  header.writeUInt32LE(HEADER_BYTES - 8 + data.length, 4);
  header.write("WAVEfmt ", 8, "latin1");
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(PCM, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sound.sampleRate, 24);
  header.writeUInt32LE(sound.sampleRate * BYTES_PER_SAMPLE, 28);
  header.writeUInt16LE(BYTES_PER_SAMPLE, 32);
  header.writeUInt16LE(8 * BYTES_PER_SAMPLE, 34);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(data.length, 40);
  const file = new Uint8Array(HEADER_BYTES + data.length);
  file.set(header);
  file.set(data, HEADER_BYTES);
  return file;
}
