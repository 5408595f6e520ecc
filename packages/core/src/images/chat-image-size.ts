import type { Checker } from "../checks/checker.js";

/** The three rules for custom sizes of the image-chat model (API description, Limits). */
const SIDE_STEP = 16;
const MIN_PIXELS = 655_360;
const MAX_RATIO = 3;

/** Reports every rule that a size breaks. */
export function checkChatImageSize(check: Checker, size: string | undefined): void {
  if (size === undefined || size === "auto") return;
  const match = /^(\d{1,5})x(\d{1,5})$/.exec(size);
  if (match === null) {
    check.add("size", "must be <width>x<height> or auto", size);
    return;
  }
  const [width, height] = [Number(match[1]), Number(match[2])] as const;
  if (width % SIDE_STEP !== 0 || height % SIDE_STEP !== 0 || width === 0 || height === 0) {
    check.add("size", `must have a width and a height divisible by ${SIDE_STEP}, and not be ${size}`, size);
  }
  if (width * height < MIN_PIXELS) {
    check.add("size", `must have at least ${MIN_PIXELS} pixels, and not ${width * height}`, size);
  }
  if (Math.max(width, height) > MAX_RATIO * Math.min(width, height)) {
    check.add("size", `must have a ratio of at most ${MAX_RATIO}:1, and not be ${size}`, size);
  }
}
