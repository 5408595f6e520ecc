import { BufferSource, EncodedPacketSink, Input, MP4 } from "mediabunny";
import { vi } from "vitest";

export interface DecodedFrame {
  /** I420 at the coded size, which is the picture's rounded up to whole macroblocks. */
  data: Uint8Array;
  codedWidth: number;
  codedHeight: number;
}

const START_CODE = [0, 0, 0, 1];

/**
 * Decodes every frame of an MP4 with the h264bsd decoder, which shares nothing with the encoder and knows the
 * Baseline profile only.
 */
export async function decodeFrames(file: Uint8Array): Promise<DecodedFrame[]> {
  // It was made for browser workers and reads this one name.
  vi.stubGlobal("self", { location: { href: "" } });
  const { default: loadModule } = await import("tinyh264/es/TinyH264.js");
  const { default: Decoder } = await import("tinyh264/es/TinyH264Decoder.js");
  const frames: DecodedFrame[] = [];
  const decoder = new Decoder(await loadModule(), (data, codedWidth, codedHeight) => {
    frames.push({ data, codedWidth, codedHeight });
  });
  vi.unstubAllGlobals();
  for await (const nal of readNalUnits(file)) decoder.decode(Uint8Array.from([...START_CODE, ...nal]));
  decoder.release();
  return frames;
}

async function* readNalUnits(file: Uint8Array): AsyncGenerator<Uint8Array> {
  using input = new Input({ source: new BufferSource(file), formats: [MP4] });
  const track = await input.getPrimaryVideoTrack();
  const description = (await track?.getDecoderConfig())?.description;
  if (!track || !(description instanceof Uint8Array)) throw new Error("No H.264 track with parameter sets.");
  yield* readParameterSets(description);
  for await (const { data } of new EncodedPacketSink(track).packets()) {
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    for (let at = 0; at < data.length; at += 4 + view.getUint32(at)) {
      yield data.subarray(at + 4, at + 4 + view.getUint32(at));
    }
  }
}

/** The sequence and picture parameter sets of an AVC decoder configuration (ISO/IEC 14496-15 §5.3.3.1). */
function* readParameterSets(configuration: Uint8Array): Generator<Uint8Array> {
  const view = new DataView(configuration.buffer, configuration.byteOffset, configuration.byteLength);
  let at = 5;
  for (const countMask of [0x1f, 0xff]) {
    const count = view.getUint8(at++) & countMask;
    for (let index = 0; index < count; index++) {
      const length = view.getUint16(at);
      yield configuration.subarray(at + 2, at + 2 + length);
      at += 2 + length;
    }
  }
}
