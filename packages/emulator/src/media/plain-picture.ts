import { hashText } from "../language/hash-text.js";
import { encodePng } from "./encode-png.js";
import type { RenderedImage, RenderImageRequest } from "./media-renderer.js";

const BANDS = 6;

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
  const bytes = encodePng(width, height, (x, y, pixel, offset) => {
    const band = Math.floor((x + y) / bandWidth);
    const [red = 0, green = 0, blue = 0] = colours[band % BANDS] ?? [];
    pixel[offset] = red;
    pixel[offset + 1] = green;
    pixel[offset + 2] = blue;
    pixel[offset + 3] = background === "transparent" && band % 2 === 1 ? 0 : 255;
  });
  return { bytes, mediaType: "image/png", width, height };
}
