import type { PixelSize } from "./image-size.js";

/** The qualities of the Base64-only models, `auto` settled. */
export type ImageQuality = "low" | "medium" | "high";

/** Tokens of a finished image by its shape, as published for models of this kind. */
const SQUARE: Record<ImageQuality, number> = { low: 272, medium: 1_056, high: 4_160 };
const UPRIGHT: Record<ImageQuality, number> = { low: 408, medium: 1_584, high: 6_240 };
const WIDE: Record<ImageQuality, number> = { low: 400, medium: 1_568, high: 6_208 };
const SQUARE_PIXELS = 1_024 * 1_024;
const LONG_PIXELS = 1_024 * 1_536;

/** What a partial image of a stream adds. */
export const PARTIAL_IMAGE_TOKENS = 100;

const INPUT_BASE_TOKENS = 65;
const INPUT_TILE_TOKENS = 129;
const INPUT_TILE_SIDE = 512;
const HIGH_FIDELITY_SQUARE_TOKENS = 4_160;
const HIGH_FIDELITY_LONG_TOKENS = 6_240;

/** Output tokens of one image; other sizes than the three of the table in proportion to their pixels. */
export function outputImageTokens({ width, height }: PixelSize, quality: ImageQuality): number {
  if (width === height) return Math.round((SQUARE[quality] * width * height) / SQUARE_PIXELS);
  const table = width > height ? WIDE : UPRIGHT;
  return Math.round((table[quality] * width * height) / LONG_PIXELS);
}

/** Input tokens of one image: by tiles of its short side, more where every detail is to be kept. */
export function inputImageTokens(size: PixelSize | undefined, highFidelity: boolean): number {
  const { width, height } = size ?? { width: INPUT_TILE_SIDE, height: INPUT_TILE_SIDE };
  const short = Math.max(1, Math.min(width, height));
  const tiles = Math.ceil(Math.max(width, height) / short);
  const plain = INPUT_BASE_TOKENS + INPUT_TILE_TOKENS * tiles;
  if (!highFidelity) return plain;
  return plain + (tiles === 1 ? HIGH_FIDELITY_SQUARE_TOKENS : HIGH_FIDELITY_LONG_TOKENS);
}
