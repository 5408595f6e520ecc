import { hashText } from "../language/hash-text.js";
import { encodePng } from "./encode-png.js";
import type { RenderedImage, RenderImageRequest } from "./media-renderer.js";

const BANDS = 6;
const BYTES_PER_PIXEL = 4;

/**
 * The picture of an emulator without its media package: slanted bands in colours that the prompt and seed decide. On
 * a transparent background every other band is missing.
 */
export function plainPicture({ width, height, prompt, seed, background }: RenderImageRequest): RenderedImage {
  const hue = hashText(prompt, seed);
  const colours = Array.from({ length: BANDS }, (_, band) => {
    const mixed = hashText(`${hue}`, band);
    return [mixed & 0xff, (mixed >>> 8) & 0xff, (mixed >>> 16) & 0xff] as const;
  });
  const bandWidth = Math.max(1, (width + height) / (2 * BANDS));
  // Every row is the one above, a pixel further along one line.
  const line = new Uint8Array((width + height) * BYTES_PER_PIXEL);
  for (let at = 0; at < width + height; at++) {
    const band = Math.floor(at / bandWidth);
    const [red = 0, green = 0, blue = 0] = colours[band % BANDS] ?? [];
    const alpha = background === "transparent" && band % 2 === 1 ? 0 : 255;
    line.set([red, green, blue, alpha], at * BYTES_PER_PIXEL);
  }
  const bytes = encodePng(width, height, (y) =>
    line.subarray(y * BYTES_PER_PIXEL, (y + width) * BYTES_PER_PIXEL),
  );
  return { bytes, mediaType: "image/png", width, height };
}
