import { registerAacEncoder } from "@mediabunny/aac-encoder";
import { AdtsOutputFormat, AudioSample, AudioSampleSource, BufferTarget, Output } from "mediabunny";
import type { Sound } from "./sound.js";

const BITS_PER_SECOND = 64_000;

registerAacEncoder();

/** Encodes sound as AAC in an ADTS stream. */
export async function encodeAac({ samples, sampleRate }: Sound): Promise<Uint8Array> {
  const target = new BufferTarget();
  const output = new Output({ format: new AdtsOutputFormat(), target });
  const source = new AudioSampleSource({ codec: "aac", bitrate: BITS_PER_SECOND });
  output.addAudioTrack(source);
  await output.start();
  const sample = new AudioSample({
    data: samples,
    format: "s16",
    numberOfChannels: 1,
    sampleRate,
    timestamp: 0,
  });
  await source.add(sample);
  sample.close();
  await output.finalize();
  if (!target.buffer) throw new Error("The ADTS writer finished without a file.");
  return new Uint8Array(target.buffer);
}
