/** Frames per second of every video. */
export const FRAMES_PER_SECOND = 24;

export const RESOLUTIONS = ["480p", "720p", "1080p", "4k"] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

export const FIXED_RATIOS = ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9"] as const;
/** The ratios that say what they are. */
export type FixedRatio = (typeof FIXED_RATIOS)[number];

export const RATIOS = [...FIXED_RATIOS, "adaptive"] as const;
export type Ratio = (typeof RATIOS)[number];

type LandscapeRatio = "16:9" | "4:3" | "1:1" | "21:9";

/** Pixels by tier; upright ratios are mirrored. The widest stays within what video decoders take. */
const LANDSCAPE: Record<Resolution, Record<LandscapeRatio, readonly [width: number, height: number]>> = {
  "480p": { "16:9": [864, 496], "4:3": [752, 560], "1:1": [640, 640], "21:9": [992, 432] },
  "720p": { "16:9": [1280, 720], "4:3": [1112, 834], "1:1": [960, 960], "21:9": [1470, 630] },
  "1080p": { "16:9": [1920, 1080], "4:3": [1664, 1248], "1:1": [1440, 1440], "21:9": [2206, 946] },
  "4k": { "16:9": [3840, 2160], "4:3": [3328, 2496], "1:1": [2880, 2880], "21:9": [4096, 1756] },
};

export interface VideoDimensions {
  /** The ratio in fact used; never `adaptive`. */
  ratio: FixedRatio;
  width: number;
  height: number;
}

/**
 * The pixels of a video.
 *
 * @param guide size of the picture that an adaptive ratio follows; 16:9 without one
 */
export function videoDimensions(
  resolution: Resolution,
  ratio: Ratio,
  guide?: { width: number; height: number },
): VideoDimensions {
  const fixed = ratio === "adaptive" ? nearestRatio(guide) : ratio;
  if (fixed === "3:4" || fixed === "9:16") {
    const [height, width] = LANDSCAPE[resolution][fixed === "3:4" ? "4:3" : "16:9"];
    return { ratio: fixed, width, height };
  }
  const [width, height] = LANDSCAPE[resolution][fixed];
  return { ratio: fixed, width, height };
}

function nearestRatio(guide?: { width: number; height: number }): FixedRatio {
  if (!guide || guide.width === 0 || guide.height === 0) return "16:9";
  const wanted = Math.log(guide.width / guide.height);
  const distance = (ratio: FixedRatio) => {
    const [width = 1, height = 1] = ratio.split(":").map(Number);
    return Math.abs(Math.log(width / height) - wanted);
  };
  return FIXED_RATIOS.reduce((best, ratio) => (distance(ratio) < distance(best) ? ratio : best));
}
