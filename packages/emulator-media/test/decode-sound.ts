import { FLACDecoder } from "@wasm-audio-decoders/flac";
import { ADTS, BufferSource, EncodedPacketSink, Input } from "mediabunny";
import { MPEGDecoder } from "mpg123-decoder";
import { OggOpusDecoder } from "ogg-opus-decoder";
import type { SpeechFormat } from "../src/index.js";

export interface DecodedSound {
  /** One channel, from -1 to 1; without samples for AAC, of which there is no decoder to be had. */
  samples: Float32Array;
  sampleRate: number;
  seconds: number;
}

/** Decodes sound with decoders that share nothing with the encoders. */
export async function decodeSound(bytes: Uint8Array, format: SpeechFormat): Promise<DecodedSound> {
  switch (format) {
    case "mp3":
      return decodeWith(new MPEGDecoder(), (decoder) => decoder.decode(bytes));
    case "flac": {
      const sound = await decodeWith(new FLACDecoder(), (decoder) => decoder.decodeFile(bytes));
      // This decoder takes the largest sample for 1; the others take the smallest for -1.
      return { ...sound, samples: sound.samples.map((sample) => Math.round(sample * 32_767) / 32_768) };
    }
    case "opus":
      return decodeWith(new OggOpusDecoder(), (decoder) => decoder.decodeFile(bytes));
    case "aac":
      return readAdts(bytes);
    case "wav":
      return fromPcm(bytes.subarray(44), Buffer.from(bytes).readUInt32LE(24));
    case "pcm":
      return fromPcm(bytes, 24_000);
  }
}

interface Decoded {
  channelData: Float32Array[];
  sampleRate: number;
  errors: unknown[];
}

async function decodeWith<Decoder extends { ready: Promise<void>; free(): void }>(
  decoder: Decoder,
  decode: (decoder: Decoder) => Decoded | Promise<Decoded>,
): Promise<DecodedSound> {
  await decoder.ready;
  const { channelData, sampleRate, errors } = await decode(decoder);
  if (errors.length > 0)
    throw new Error(`The decoder found ${errors.length} errors: ${JSON.stringify(errors[0])}`);
  const samples = channelData[0]!.slice();
  decoder.free();
  return { samples, sampleRate, seconds: samples.length / sampleRate };
}

async function readAdts(bytes: Uint8Array): Promise<DecodedSound> {
  using input = new Input({ source: new BufferSource(bytes), formats: [ADTS] });
  const track = await input.getPrimaryAudioTrack();
  const config = await track?.getDecoderConfig();
  if (!track || config?.codec !== "mp4a.40.2") throw new Error("No AAC track.");
  let packetBytes = 0;
  for await (const packet of new EncodedPacketSink(track).packets()) packetBytes += packet.byteLength;
  const seconds = await track.computeDuration();
  // A packet of silence takes less than ten bytes.
  if (packetBytes / seconds < 3000) throw new Error("Hardly anything but silence.");
  return { samples: new Float32Array(), sampleRate: config.sampleRate, seconds };
}

function fromPcm(bytes: Uint8Array, sampleRate: number): DecodedSound {
  const samples = new Float32Array(bytes.length / 2);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let index = 0; index < samples.length; index++) {
    samples[index] = view.getInt16(2 * index, true) / 32768;
  }
  return { samples, sampleRate, seconds: samples.length / sampleRate };
}
