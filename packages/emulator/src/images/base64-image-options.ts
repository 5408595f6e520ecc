import type { Field } from "../checks/field.js";
import type { ImageFormat } from "../media/media-renderer.js";
import { type PixelSize, parsePixelSize } from "./image-size.js";
import type { ImageQuality } from "./image-tokens.js";

const SIZES = ["1024x1024", "1536x1024", "1024x1536", "auto"] as const;
const QUALITIES = ["low", "medium", "high", "auto"] as const;
const BACKGROUNDS = ["transparent", "opaque", "auto"] as const;
const FORMATS = ["png", "jpeg", "webp"] as const;
const MAX_PARTIAL_IMAGES = 3;
const MAX_IMAGES = 10;
const AUTOMATIC_QUALITY = "medium";

/** What generation and editing by a Base64-only model have in common, checked. */
export interface Base64ImageOptions {
  prompt: string;
  /** Undefined for automatic. */
  size?: PixelSize;
  quality: ImageQuality;
  background: (typeof BACKGROUNDS)[number];
  /** PNG unless asked otherwise. */
  outputFormat?: ImageFormat;
  /** 0 to 100. */
  compression?: number;
  partialImages: number;
  count: number;
  stream: boolean;
}

/** Checks the options that both endpoints of the Base64-only models take; `response_format` is none. */
export function checkBase64ImageOptions(body: Field): Base64ImageOptions {
  if (body.get("response_format").present) {
    body.get("response_format").refuse("is not supported by this model, which always answers b64_json");
  }
  const size = body.getNullable("size").optional((field) => field.oneOf(SIZES)) ?? "auto";
  const quality = body.getNullable("quality").optional((field) => field.oneOf(QUALITIES)) ?? "auto";
  const background = body.getNullable("background").optional((field) => field.oneOf(BACKGROUNDS)) ?? "auto";
  const outputFormat = body.getNullable("output_format").optional((field) => field.oneOf(FORMATS));
  const compression = body
    .getNullable("output_compression")
    .optional((field) => field.number({ min: 0, max: 100 }));
  if (compression !== undefined && (outputFormat ?? "png") === "png") {
    body.get("output_compression").refuse('goes with output_format "jpeg" or "webp" only');
  }
  if (background === "transparent" && outputFormat === "jpeg") {
    body.get("background").refuse('cannot be "transparent" with output_format "jpeg"; use "png" or "webp"');
  }
  body.getNullable("moderation").optional((field) => field.oneOf(["auto", "low"]));
  body.getNullable("user").optional((field) => field.string());
  return {
    prompt: body.get("prompt").nonEmptyString() ?? "",
    size: parsePixelSize(size),
    quality: quality === "auto" ? AUTOMATIC_QUALITY : quality,
    background,
    outputFormat,
    compression,
    partialImages:
      body
        .getNullable("partial_images")
        .optional((field) => field.integer({ min: 0, max: MAX_PARTIAL_IMAGES })) ?? 0,
    count: body.getNullable("n").optional((field) => field.integer({ min: 1, max: MAX_IMAGES })) ?? 1,
    stream: body.getNullable("stream").optional((field) => field.boolean()) ?? false,
  };
}
