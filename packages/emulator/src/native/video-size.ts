import type { Field } from "../checks/field.js";
import type { Resolution } from "../tasks/video-dimensions.js";

/** The widest shorter side of each tier. */
const SHORTER_SIDES: readonly [upTo: number, tier: Resolution][] = [
  [656, "480p"],
  [1_000, "720p"],
  [1_440, "1080p"],
];

/** A size in pixels, and the tier that it belongs to. */
export interface VideoSize {
  resolution: Resolution;
  size: { width: number; height: number };
}

/** Reads a size such as `1280x720`, or `1280*720` where the upstream writes it so. */
export function checkVideoSize(field: Field, sign: "x" | "*"): VideoSize | undefined {
  const text = field.string();
  if (text === undefined) return undefined;
  const [width = 0, height = 0] = /^\d{2,4}[x*]\d{2,4}$/.test(text) ? text.split(sign).map(Number) : [];
  if (!(width >= 16 && height >= 16)) return field.refuse(`must be a size such as 1280${sign}720`);
  const shorter = Math.min(width, height);
  const resolution = SHORTER_SIDES.find(([upTo]) => shorter <= upTo)?.[1] ?? "4k";
  return { resolution, size: { width, height } };
}
