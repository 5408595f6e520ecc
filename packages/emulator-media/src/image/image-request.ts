/** Formats that {@link renderImage} encodes. */
export type ImageFormat = "png" | "jpeg" | "webp";

/** What {@link renderImage} is asked for. */
export interface ImageRequest {
  /** Width in pixels: a whole number from 16 to 8192. */
  width: number;
  /** Height in pixels: a whole number from 16 to 8192, and at most 16,777,216 pixels (4096 × 4096) in all. */
  height: number;
  /** What the picture shows, in English, German or Chinese; also written into a line at its bottom. */
  prompt: string;
  /** Any finite number; chooses where things are, and what the prompt leaves open. */
  seed: number;
  format: ImageFormat;
  /** `"transparent"` gives an alpha channel; PNG and WebP only. Default `"opaque"`. */
  background?: "transparent" | "opaque";
  /** 1 (small) to 100 (good), for JPEG (default 85) and WebP (default 80). PNG loses nothing and ignores it. */
  quality?: number;
  /** Written faintly behind the prompt where there is room, such as the size and what was asked for. At most 16. */
  details?: string[];
  /** Encoded images, such as those given for an edit: the first lies below what is drawn, the others in a row. At most 16. */
  inputs?: Uint8Array[];
}

const FORMATS: readonly string[] = ["png", "jpeg", "webp"] satisfies ImageFormat[];
const BACKGROUNDS: readonly unknown[] = ["transparent", "opaque", undefined];
const MIN_SIDE = 16;
const MAX_SIDE = 8192;
const MAX_PIXELS = 4096 * 4096;
const MAX_DETAILS = 16;
const MAX_INPUTS = 16;

/**
 * Checks a request before it goes to the worker, all but the bytes of the inputs.
 *
 * @throws RangeError for a value outside the limits of {@link ImageRequest}; TypeError for text that is none.
 */
export function assertImageRequest(request: ImageRequest): void {
  const { width, height, prompt, seed, format, background, quality, details = [], inputs = [] } = request;
  for (const [name, side] of Object.entries({ width, height })) {
    if (!Number.isInteger(side) || side < MIN_SIDE || side > MAX_SIDE) {
      throw new RangeError(
        `Image ${name} ${side} is not possible: it must be a whole number from ${MIN_SIDE} to ${MAX_SIDE}.`,
      );
    }
  }
  if (width * height > MAX_PIXELS) {
    throw new RangeError(`Image size ${width}x${height} is too large: at most ${MAX_PIXELS} pixels.`);
  }
  if (typeof prompt !== "string") throw new TypeError("Image prompt must be a string.");
  if (!Number.isFinite(seed)) {
    throw new RangeError(`Image seed ${seed} is not possible: it must be a finite number.`);
  }
  if (!FORMATS.includes(format)) {
    throw new RangeError(`Image format ${format} is not possible: it must be one of ${FORMATS.join(", ")}.`);
  }
  if (!BACKGROUNDS.includes(background)) {
    throw new RangeError(`Image background ${background} is not possible: use "transparent" or "opaque".`);
  }
  if (background === "transparent" && format === "jpeg") {
    throw new RangeError(
      `Image background "transparent" is not possible with format "jpeg", which has no alpha channel: ` +
        `use format "png" or "webp", or background "opaque".`,
    );
  }
  if (quality !== undefined && !(quality >= 1 && quality <= 100)) {
    throw new RangeError(`Image quality ${quality} is not possible: it must be a number from 1 to 100.`);
  }
  if (!Array.isArray(details) || details.some((detail) => typeof detail !== "string")) {
    throw new TypeError("Image details must be an array of strings.");
  }
  if (details.length > MAX_DETAILS) {
    throw new RangeError(`Image details are too many: ${details.length}, at most ${MAX_DETAILS}.`);
  }
  if (!Array.isArray(inputs)) throw new TypeError("Image inputs must be an array of Uint8Array.");
  if (inputs.length > MAX_INPUTS) {
    throw new RangeError(`Image inputs are too many: ${inputs.length}, at most ${MAX_INPUTS}.`);
  }
}
