import { crc32, deflateSync } from "node:zlib";
import type { RasterPicture } from "./raster-picture.js";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const BITS_PER_CHANNEL = 8;
const COLOR_TYPES = { 3: 2, 4: 6 } as const;
const SUB_FILTER = 1;

// Generated pictures are flat areas and gradients: higher levels take several times as long for little.
const COMPRESSION_LEVEL = 3;

/** Encodes a picture as an 8-bit truecolour PNG, with alpha if the picture has it. */
export function encodePng(picture: RasterPicture): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(picture.width, 0);
  header.writeUInt32BE(picture.height, 4);
  header[8] = BITS_PER_CHANNEL;
  header[9] = COLOR_TYPES[picture.channels];
  const body = deflateSync(filterRows(picture), { level: COMPRESSION_LEVEL });
  const file = [SIGNATURE, chunk("IHDR", header), chunk("IDAT", body), chunk("IEND", Buffer.alloc(0))];
  return new Uint8Array(Buffer.concat(file));
}

/** Stores each byte as its difference from the pixel to the left, which deflate packs far better. */
function filterRows({ width, height, channels, data }: RasterPicture): Uint8Array {
  const stride = width * channels;
  const filtered = new Uint8Array((stride + 1) * height);
  for (let y = 0; y < height; y++) {
    const from = y * stride;
    const to = y * (stride + 1) + 1;
    filtered[to - 1] = SUB_FILTER;
    for (let x = 0; x < channels; x++) filtered[to + x] = data[from + x]!;
    for (let x = channels; x < stride; x++) filtered[to + x] = data[from + x]! - data[from + x - channels]!;
  }
  return filtered;
}

function chunk(type: string, body: Uint8Array): Buffer {
  const bytes = Buffer.alloc(body.length + 12);
  bytes.writeUInt32BE(body.length, 0);
  bytes.write(type, 4, "latin1");
  bytes.set(body, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, body.length + 8)), body.length + 8);
  return bytes;
}
