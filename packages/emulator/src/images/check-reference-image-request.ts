import { checkImageInput } from "../checks/check-url.js";
import type { Field } from "../checks/field.js";
import { type PixelSize, parsePixelSize } from "./image-size.js";

const TIERS = ["2K", "3K", "4K"] as const;
/** The shorter names of the square that each tier stands for. */
export const TIER_SIDE: Record<(typeof TIERS)[number], number> = { "2K": 2_048, "3K": 3_072, "4K": 4_096 };
const MIN_PIXELS = 256 * 256;
const MAX_PIXELS = 4_096 * 4_096;
const MAX_ASPECT_RATIO = 16;
const MAX_SET = 15;
const MAX_REFERENCES = 14;
/** Options of the shape base64, which this one would pass over without a word. */
const UNSUPPORTED = ["quality", "background", "output_compression", "partial_images", "moderation", "mask"];

/** A body of `POST /images/generations` for a reference-image model that passed every check. */
export interface ReferenceImageRequest {
  prompt: string;
  /** URLs, data URLs or Base64. */
  images: string[];
  /** The side of a tier's square, or pixels. */
  size: { side: number } | PixelSize;
  base64: boolean;
  outputFormat?: "png" | "jpeg";
  watermark: boolean;
  /** How many images a set may have at most; one without a set. */
  maxImages: number;
  seed?: number;
  stream: boolean;
}

/** Checks a body against what reference-image models take. @throws APIError 400 */
export function checkReferenceImageRequest(body: Field): ReferenceImageRequest {
  for (const option of UNSUPPORTED) {
    if (body.get(option).present) body.get(option).refuse("is not supported by reference-image models");
  }
  if (body.getNullable("n").present && body.get("n").value !== 1) {
    body
      .get("n")
      .refuse(
        "is not supported by reference-image models; use sequential_image_generation with max_images for a set",
      );
  }
  const request: ReferenceImageRequest = {
    prompt: body.get("prompt").nonEmptyString() ?? "",
    images: body.get("image").optional(checkReferences) ?? [],
    size: body.getNullable("size").optional(checkSize) ?? { side: TIER_SIDE["2K"] },
    base64:
      body.getNullable("response_format").optional((field) => field.oneOf(["url", "b64_json"])) ===
      "b64_json",
    outputFormat: body.getNullable("output_format").optional((field) => field.oneOf(["png", "jpeg"])),
    watermark: body.get("watermark").optional((field) => field.boolean()) ?? true,
    maxImages: checkSet(body),
    seed: body.get("seed").optional((field) => field.integer()),
    stream: body.getNullable("stream").optional((field) => field.boolean()) ?? false,
  };
  body.get("guidance_scale").optional((field) => field.number());
  body.getNullable("user").optional((field) => field.string());
  body.finish();
  return request;
}

function checkReferences(field: Field): string[] {
  if (typeof field.value === "string") return [checkImageInput(field) ?? ""];
  const items = field.nonEmptyItems("a string or a non-empty array of strings") ?? [];
  if (items.length > MAX_REFERENCES) {
    field.refuse(`takes at most ${MAX_REFERENCES} reference images (got ${items.length})`);
  }
  return items.map((item) => checkImageInput(item) ?? "");
}

function checkSize(field: Field): ReferenceImageRequest["size"] | undefined {
  const tier = TIERS.find((name) => name === field.value);
  if (tier) return { side: TIER_SIDE[tier] };
  const size = typeof field.value === "string" ? parsePixelSize(field.value) : undefined;
  if (!size) return field.refuse(`must be one of ${TIERS.join(", ")} or <WIDTH>x<HEIGHT> in pixels`);
  const { width, height } = size;
  const pixels = width * height;
  if (pixels < MIN_PIXELS || pixels > MAX_PIXELS) {
    return field.refuse(`must have ${MIN_PIXELS} to ${MAX_PIXELS} pixels (got ${pixels})`);
  }
  if (
    Math.max(width, height) > MAX_ASPECT_RATIO * Math.min(width, height) ||
    Math.max(width, height) > 8_192
  ) {
    return field.refuse(
      `must have an aspect ratio of at most ${MAX_ASPECT_RATIO}:1 and sides of at most 8192`,
    );
  }
  return size;
}

function checkSet(body: Field): number {
  const mode = body.get("sequential_image_generation").optional((field) => field.oneOf(["auto", "disabled"]));
  const options = body.getNullable("sequential_image_generation_options");
  const limit = options.optional((field) =>
    field.object()
      ? field.get("max_images").optional((member) => member.integer({ min: 1, max: MAX_SET }))
      : undefined,
  );
  return mode === "auto" ? (limit ?? MAX_SET) : 1;
}
