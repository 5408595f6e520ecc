// The package prefers a native library where it has one. Its WebAssembly build gives the same bytes everywhere.
import { Encoder } from "@evan/opus/wasm/index.mjs";
import type { Sound } from "./sound.js";
import { writeOgg } from "./write-ogg.js";

// Opus counts time at 48 kHz whatever it encodes (RFC 7845 §4).
const OPUS_CLOCK = 48_000;
const FRAME_SECONDS = 0.02;
const BITS_PER_SECOND = 32_000;

// From opus_defines.h.
const SET_BITRATE = 4002;
const SET_COMPLEXITY = 4010;
const GET_LOOKAHEAD = 4027;

// Of 10; more takes twice the time for a difference that nobody hears in synthetic speech.
const COMPLEXITY = 4;

const VENDOR = "Model Gateway emulator";

/** Encodes sound at 24 kHz as Opus in an Ogg file (RFC 7845). */
export function encodeOpus({ samples, sampleRate }: Sound): Uint8Array {
  if (sampleRate !== 24_000)
    throw new Error(`Opus is set up for 24000 samples per second, not ${sampleRate}.`);
  const encoder = new Encoder({ channels: 1, sample_rate: sampleRate, application: "audio" });
  try {
    encoder.ctl(SET_BITRATE, BITS_PER_SECOND);
    encoder.ctl(SET_COMPLEXITY, COMPLEXITY);
    const lookahead = encoder.ctl(GET_LOOKAHEAD);
    const frame = sampleRate * FRAME_SECONDS;
    // The encoder runs late by its lookahead, so silence follows the sound until all of it is out.
    const padded = new Int16Array(Math.ceil((samples.length + lookahead) / frame) * frame);
    padded.set(samples);
    const ticksPerSample = OPUS_CLOCK / sampleRate;
    const preSkip = lookahead * ticksPerSample;
    const end = preSkip + samples.length * ticksPerSample;
    const packets = [];
    for (let start = 0; start < padded.length; start += frame) {
      const data = encoder.encode(padded.subarray(start, start + frame));
      // The last position says where the sound ends within the last packet.
      packets.push({ data, position: Math.min(end, (start + frame) * ticksPerSample) });
    }
    return writeOgg([identification(preSkip, sampleRate), comments()], packets);
  } finally {
    encoder.drop();
  }
}

function identification(preSkip: number, sampleRate: number): Uint8Array {
  const header = Buffer.alloc(19);
  header.write("OpusHead", 0, "latin1");
  header.writeUInt8(1, 8);
  header.writeUInt8(1, 9);
  header.writeUInt16LE(preSkip, 10);
  header.writeUInt32LE(sampleRate, 12);
  return header;
}

function comments(): Uint8Array {
  const vendor = Buffer.from(VENDOR);
  const header = Buffer.alloc(8 + 4 + vendor.length + 4);
  header.write("OpusTags", 0, "latin1");
  header.writeUInt32LE(vendor.length, 8);
  vendor.copy(header, 12);
  return header;
}
