import sharp, { type ResizeOptions, type Sharp } from "sharp";
import { InvalidInput } from "./invalid-input.js";
import type { RasterPicture } from "./raster-picture.js";

// An input is seen once or twice in its life, so libvips' own cache would only hold memory.
sharp.cache(false);

// 8192 × 8192: more than any upstream takes, and few enough for a laptop's memory.
const MAX_INPUT_PIXELS = 2 ** 26;

/** Opens encoded bytes; like everything else about sharp, decoding starts when a result is asked for. */
export function openPicture(bytes: Uint8Array): Sharp {
  // Pictures that are cut short or have odd metadata are common, and still show something.
  return sharp(bytes, { failOn: "none", limitInputPixels: MAX_INPUT_PIXELS }).autoOrient();
}

/**
 * Decodes an encoded image at the size that `resize` says, upright, on black where it is transparent.
 *
 * @param name What the caller called the image, for the error.
 * @throws InvalidInput for bytes that are no image that can be decoded.
 */
export async function decodePicture(
  bytes: Uint8Array,
  name: string,
  resize: ResizeOptions,
): Promise<RasterPicture> {
  try {
    const { data, info } = await openPicture(bytes)
      .resize(resize)
      .flatten({ background: "black" })
      .toColourspace("srgb")
      .raw()
      .toBuffer({ resolveWithObject: true });
    if (info.channels !== 3) throw new Error(`it decodes to ${info.channels} channels`);
    return { width: info.width, height: info.height, channels: 3, data };
  } catch (error) {
    throw unreadablePicture(bytes, name, error);
  }
}

/** The error for bytes that are no image, with what they begin with, which mostly tells what they are instead. */
export function unreadablePicture(bytes: Uint8Array, name: string, cause: unknown): InvalidInput {
  const beginning = Buffer.from(bytes.subarray(0, 8)).toString("hex").replace(/../g, "$& ").trim();
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new InvalidInput(
    `${name} is not an image that can be decoded (${bytes.length} bytes, beginning ${beginning || "nowhere"}; ` +
      `${reason}). Give the bytes of a JPEG, PNG, WebP, GIF, AVIF, TIFF or SVG file.`,
    { cause },
  );
}
