import { hashText } from "../language/hash-text.js";
import { encodePng } from "./encode-png.js";
import type { RenderedImage, RenderImageRequest } from "./media-renderer.js";

const BANDS = 6;
const BYTES_PER_PIXEL = 4;

/** Colours as prompts name them, in three languages. */
const NAMED: ReadonlyArray<readonly [name: RegExp, channels: readonly [number, number, number]]> = [
  [/\bred\b|\brote?[rsnm]?\b|红/i, [229, 50, 45]],
  [/\borange\b|橙|橘/i, [245, 130, 32]],
  [/\byellow\b|\bgelbe?[rsnm]?\b|黄(?!昏)/i, [251, 201, 27]],
  [/\bgreen\b|\bgrüne?[rsnm]?\b|绿/iu, [47, 168, 79]],
  [/\bblue\b|\bblaue?[rsnm]?\b|蓝/i, [47, 111, 224]],
  [/\bpurple\b|\bviolet\b|\blila\b|紫/i, [138, 69, 200]],
  [/\bpink\b|\brosa\b|粉/i, [240, 111, 174]],
  [/\bbrown\b|\bbraune?[rsnm]?\b|棕|褐/i, [138, 90, 52]],
];

/**
 * The picture of an emulator without its media package: slanted bands in the colour that the prompt names, else in colours that it and the seed decide. On
 * a transparent background every other band is missing.
 */
export function plainPicture({ width, height, prompt, seed, background }: RenderImageRequest): RenderedImage {
  const hue = hashText(prompt, seed);
  const named = NAMED.find(([name]) => name.test(prompt))?.[1];
  const colours = Array.from({ length: BANDS }, (_, band) => {
    const mixed = hashText(`${hue}`, band);
    const free = [mixed & 0xff, (mixed >>> 8) & 0xff, (mixed >>> 16) & 0xff] as const;
    // Bands of the colour asked for differ in their light, which the prompt leaves open.
    const light = 0.6 + 0.4 * (free[0] / 255);
    return named?.map((channel) => Math.round(channel * light)) ?? free;
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
  return { bytes, mediaType: "image/png", width, height, fallback: true };
}
