import sharp from "sharp";
import { encodePng } from "./encode-png.js";
import type { ImageRequest } from "./image-request.js";
import { paintImage } from "./paint-image.js";
import type { RasterPicture } from "./raster-picture.js";
import type { RenderedImage } from "./rendered-image.js";

const JPEG_QUALITY = 85;
const WEBP_QUALITY = 80;

// From 0 to 6; at sharp's default of 4 the largest pictures take three times as long and come out hardly smaller.
const WEBP_EFFORT = 1;

/** Paints and encodes an image, on the thread it is called on. */
export async function encodeImage(request: ImageRequest): Promise<RenderedImage> {
  const picture = await paintImage(request);
  const { width, height } = picture;
  return { ...(await encodePicture(picture, request)), width, height };
}

async function encodePicture(
  picture: RasterPicture,
  { format, quality }: ImageRequest,
): Promise<Pick<RenderedImage, "bytes" | "mediaType">> {
  const { width, height, channels, data } = picture;
  if (format === "png") return { bytes: encodePng(picture), mediaType: "image/png" };
  const raw = sharp(data, { raw: { width, height, channels } });
  if (format === "jpeg") {
    const bytes = await raw.jpeg({ quality: Math.round(quality ?? JPEG_QUALITY) }).toBuffer();
    return { bytes: new Uint8Array(bytes), mediaType: "image/jpeg" };
  }
  const options = { quality: Math.round(quality ?? WEBP_QUALITY), effort: WEBP_EFFORT };
  return { bytes: new Uint8Array(await raw.webp(options).toBuffer()), mediaType: "image/webp" };
}
