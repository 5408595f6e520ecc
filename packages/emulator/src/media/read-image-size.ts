export interface ImageSize {
  /** `png`, `jpeg`, `gif` or `webp`. */
  format: string;
  width: number;
  height: number;
}

// A JPEG says its size after its metadata, which may hold a thumbnail and a colour profile.
const READ_BYTES = 256 * 1_024;

/** The size of the picture in a data URL or Base64 by its header, or undefined when it is none that is known. */
export function readImageSize(image: string): ImageSize | undefined {
  if (/^(?:https?|asset):/i.test(image)) return undefined;
  const start = image.startsWith("data:") ? image.indexOf(",") + 1 : 0;
  return imageSizeOf(Buffer.from(image.slice(start, start + Math.ceil(READ_BYTES / 3) * 4), "base64"));
}

/**
 * The size of an encoded picture by its header. Not by `image-size`: it takes a cut header for a picture of 0 × 0, knows
 * no JPEG but three kinds, searches a broken one byte by byte (a second for 10 MB), and reads twenty formats that no
 * endpoint takes.
 */
export function imageSizeOf(encoded: Uint8Array): ImageSize | undefined {
  const bytes = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength);
  return readPng(bytes) ?? readGif(bytes) ?? readWebp(bytes) ?? readJpeg(bytes);
}

function readPng(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 24 || bytes.readUInt32BE(0) !== 0x89504e47) return undefined;
  return { format: "png", width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function readGif(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 10 || bytes.toString("latin1", 0, 4) !== "GIF8") return undefined;
  return { format: "gif", width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function readWebp(bytes: Buffer): ImageSize | undefined {
  if (
    bytes.length < 30 ||
    bytes.toString("latin1", 0, 4) !== "RIFF" ||
    bytes.toString("latin1", 8, 12) !== "WEBP"
  ) {
    return undefined;
  }
  const size = (width: number, height: number) => ({ format: "webp", width, height });
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8X":
      return size(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1);
    case "VP8L": {
      const bits = bytes.readUInt32LE(21);
      return size((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
    }
    case "VP8 ":
      return size(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff);
    default:
      return undefined;
  }
}

function readJpeg(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  let offset = 2;
  while (offset + 9 < bytes.length && bytes[offset] === 0xff) {
    const marker = bytes[offset + 1] ?? 0;
    // The frame headers SOF0–SOF15, without the tables that share their range.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return {
        format: "jpeg",
        height: bytes.readUInt16BE(offset + 5),
        width: bytes.readUInt16BE(offset + 7),
      };
    }
    offset += 2 + bytes.readUInt16BE(offset + 2);
  }
  return undefined;
}
