import { hashText } from "../language/hash-text.js";
import type { RenderedSpeech, RenderSpeechRequest } from "./media-renderer.js";

const SAMPLE_RATE = 24_000;
const BYTES_PER_SAMPLE = 2;
const HEADER_BYTES = 44;
const SECONDS_PER_CHARACTER = 0.065;
const LOWEST_HERTZ = 110;
const LOUDNESS = 9_000;

/** The voice of an emulator without its media package: a tone per letter, a pause per space, a pitch per voice. */
export function toneSpeech({
  text,
  voice,
  format,
  speed = 1,
  seed = 1,
}: RenderSpeechRequest & { format: "wav" | "pcm" }): RenderedSpeech & {
  sampleRate: number;
  durationSeconds: number;
} {
  const characters = [...text];
  const perCharacter = Math.max(1, Math.round((SAMPLE_RATE * SECONDS_PER_CHARACTER) / speed));
  const samples = characters.length * perCharacter;
  const pitch = LOWEST_HERTZ + (hashText(voice, seed) % 110);
  const start = format === "wav" ? HEADER_BYTES : 0;
  const bytes = Buffer.alloc(start + samples * BYTES_PER_SAMPLE);
  if (format === "wav") writeHeader(bytes, samples * BYTES_PER_SAMPLE);
  for (const [position, character] of characters.entries()) {
    if (!/[\p{L}\p{N}]/u.test(character)) continue;
    const hertz = pitch * (1 + (hashText(character.toLowerCase()) % 8) / 12);
    for (let sample = 0; sample < perCharacter; sample++) {
      // Swells and fades, so that letters do not click.
      const envelope = Math.sin((Math.PI * sample) / perCharacter);
      const value = Math.sin((2 * Math.PI * hertz * sample) / SAMPLE_RATE) * envelope * LOUDNESS;
      bytes.writeInt16LE(Math.round(value), start + (position * perCharacter + sample) * BYTES_PER_SAMPLE);
    }
  }
  return {
    bytes,
    mediaType: format === "wav" ? "audio/wav" : "audio/pcm",
    durationSeconds: samples / SAMPLE_RATE,
    sampleRate: SAMPLE_RATE,
    fallback: true,
  };
}

/** The header of a WAV file with one channel of 16-bit samples. */
function writeHeader(bytes: Buffer, dataLength: number): void {
  bytes.write("RIFF", 0, "latin1");
  bytes.writeUInt32LE(HEADER_BYTES - 8 + dataLength, 4);
  bytes.write("WAVEfmt ", 8, "latin1");
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(SAMPLE_RATE, 24);
  bytes.writeUInt32LE(SAMPLE_RATE * BYTES_PER_SAMPLE, 28);
  bytes.writeUInt16LE(BYTES_PER_SAMPLE, 32);
  bytes.writeUInt16LE(8 * BYTES_PER_SAMPLE, 34);
  bytes.write("data", 36, "latin1");
  bytes.writeUInt32LE(dataLength, 40);
}
