import { registerAacEncoder } from "@mediabunny/aac-encoder";
import {
  AudioSample,
  AudioSampleSource,
  BufferSource,
  BufferTarget,
  EncodedPacket,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Input,
  MP4,
  Mp4OutputFormat,
  Output,
} from "mediabunny";
import { clearMp4Times } from "./clear-mp4-times.js";
import { SAMPLE_RATE } from "./soundtrack.js";
import type { Timeline } from "./timeline.js";
import { FRAME_RATE } from "./video-request.js";

const AUDIO_BITS_PER_SECOND = 64_000;

// Written into the container, because players guess the matrix of unmarked video from its height, and differ.
const COLOR_SPACE = { primaries: "bt709", transfer: "bt709", matrix: "bt709", fullRange: false } as const;

// H.264 stores a picture as units, each after its length; ITU-T H.264 §7.4.1 has the types.
const NAL_LENGTH_BYTES = 4;
const NAL_TYPE_MASK = 0x1f;
const IDR_SLICE = 5;

registerAacEncoder();

/**
 * Puts the packets of an encoded video in the order of a timeline, `frames` of them, and adds the sound. The result
 * holds no time of creation, so equal input gives equal bytes.
 */
export async function muxVideo(
  encoded: Uint8Array,
  frames: number,
  { packetOf }: Timeline,
  sound?: Float32Array,
): Promise<Uint8Array> {
  const { packets, decoderConfig } = await readPackets(encoded);
  const target = new BufferTarget();
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: "in-memory" }), target });
  const video = new EncodedVideoPacketSource("avc");
  output.addVideoTrack(video, { frameRate: FRAME_RATE });
  const audio = new AudioSampleSource({ codec: "aac", bitrate: AUDIO_BITS_PER_SECOND });
  if (sound) output.addAudioTrack(audio);
  await output.start();

  for (let index = 0; index < frames; index++) {
    const { data, type } = packets[packetOf(index)]!;
    const packet = new EncodedPacket(data, type, index / FRAME_RATE, 1 / FRAME_RATE);
    await video.add(packet, index === 0 ? { decoderConfig } : undefined);
  }
  if (sound) {
    const sample = new AudioSample({
      data: sound,
      format: "f32",
      numberOfChannels: 1,
      sampleRate: SAMPLE_RATE,
      timestamp: 0,
    });
    await audio.add(sample);
    sample.close();
  }
  await output.finalize();
  if (!target.buffer) throw new Error("The MP4 writer finished without a file.");
  return clearMp4Times(new Uint8Array(target.buffer));
}

async function readPackets(encoded: Uint8Array) {
  using input = new Input({ source: new BufferSource(encoded), formats: [MP4] });
  const track = await input.getPrimaryVideoTrack();
  const decoderConfig = await track?.getDecoderConfig();
  if (!track || !decoderConfig) throw new Error("The H.264 encoder wrote a file without a readable track.");
  const packets: EncodedPacket[] = [];
  for await (const packet of new EncodedPacketSink(track).packets()) {
    packets.push(packet.clone({ type: isKeyFrame(packet.data) ? "key" : "delta" }));
  }
  return { packets, decoderConfig: { ...decoderConfig, colorSpace: COLOR_SPACE } };
}

/**
 * Whether a packet holds a picture that can be decoded by itself. The encoder's own file says so of every packet,
 * which would break seeking.
 */
function isKeyFrame(packet: Uint8Array): boolean {
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
  for (let at = 0; at + NAL_LENGTH_BYTES < packet.length; at += NAL_LENGTH_BYTES + view.getUint32(at)) {
    if ((view.getUint8(at + NAL_LENGTH_BYTES) & NAL_TYPE_MASK) === IDR_SLICE) return true;
  }
  return false;
}
