import { Checker } from "../checks/checker.js";
import type { ImageEditRequest, ImageGenerateRequest } from "./image-types.js";

/** API description, Limits. */
const MAX_IMAGES = { min: 1, max: 15 };
const PARTIAL_IMAGES = { min: 0, max: 3 };
const EDIT_IMAGES = { min: 1, max: 16 };
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(; ?[\w.-]+=[\w.-]+)*$/;

/** Hard limits of `POST /images/generations`. Throws an `InvalidRequestError` with all problems; nothing is sent. */
export function checkGenerateRequest(body: ImageGenerateRequest): void {
  const check = new Checker(body);
  check.requiredString("prompt");
  const options =
    "sequential_image_generation_options" in body ? body.sequential_image_generation_options : undefined;
  const maxImages = options?.max_images;
  if (maxImages !== undefined && !isWhole(maxImages, MAX_IMAGES)) {
    check.add(
      "sequential_image_generation_options.max_images",
      `must be a whole number from ${MAX_IMAGES.min} to ${MAX_IMAGES.max}, and not ${String(maxImages)}`,
      maxImages,
    );
  }
  check.numberBetween("partial_images", PARTIAL_IMAGES.min, PARTIAL_IMAGES.max);
  refuseStream(check, body, "images.stream");
  check.throwIfAny();
}

/** Hard limits of `POST /images/edits`. */
export function checkEditRequest(body: ImageEditRequest): void {
  const check = new Checker(body);
  check.requiredString("prompt");
  const { images } = body;
  if (!Array.isArray(images) || images.length < EDIT_IMAGES.min || images.length > EDIT_IMAGES.max) {
    const given = Array.isArray(images) ? `, and not ${images.length}` : "";
    check.add("images", `must be an array of ${EDIT_IMAGES.min} to ${EDIT_IMAGES.max} images${given}`);
  } else {
    images.forEach((image: unknown, index) => {
      if (!isInput(image)) check.add(`images[${index}]`, "must be a Blob, bytes, a stream, or { data }");
      checkMediaType(check, `images[${index}].mediaType`, image);
    });
  }
  if (body.mask !== undefined && (typeof body.mask !== "object" || body.mask === null)) {
    check.add("mask", "must be { file_id }, { image_url }, or a file", body.mask);
  }
  checkMediaType(check, "mask.mediaType", body.mask);
  check.numberBetween("partial_images", PARTIAL_IMAGES.min, PARTIAL_IMAGES.max);
  refuseStream(check, body, "images.editStream");
  check.throwIfAny();
}

/** It becomes a header of its part, in which a line break would begin another header. */
function checkMediaType(check: Checker, field: string, input: unknown): void {
  const { mediaType } = (input ?? {}) as { mediaType?: unknown };
  if (mediaType === undefined || (typeof mediaType === "string" && MEDIA_TYPE.test(mediaType))) return;
  check.add(field, "must be a media type such as image/png", mediaType);
}

function refuseStream(check: Checker, body: object, instead: string): void {
  if ("stream" in body && body.stream) check.add("stream", `is set by the call: use ${instead}`);
}

function isWhole(value: unknown, { min, max }: { min: number; max: number }): boolean {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}

function isInput(value: unknown): boolean {
  if (value instanceof Blob || value instanceof Uint8Array || value instanceof ReadableStream) return true;
  const { data } = (value ?? {}) as { data?: unknown };
  return data instanceof Blob || data instanceof Uint8Array || data instanceof ReadableStream;
}
