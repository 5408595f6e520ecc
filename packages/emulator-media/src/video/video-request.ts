/** What {@link renderVideo} is asked for. */
export interface VideoRequest {
  /** Width in pixels: even, 64 to 4096. */
  width: number;
  /** Height in pixels: even, 64 to 4096, and at most 9,437,184 pixels (4096 × 2304) in all. */
  height: number;
  /** Length in seconds, above 0 and up to 60; rounded to whole frames of 1/24 s. */
  durationSeconds: number;
  /** What the video shows, in English, German or Chinese; also written into a line at its bottom. */
  prompt: string;
  /** Any finite number; chooses the melody, and what the prompt leaves open. */
  seed: number;
  /** Adds an AAC track with a quiet melody. */
  audio: boolean;
  /** An encoded image that the video begins with, cropped around its centre to cover the frame. */
  firstFrame?: Uint8Array;
  /** An encoded image that the video ends with, cropped likewise. */
  lastFrame?: Uint8Array;
}

/** Frames per second of every video. */
export const FRAME_RATE = 24;

const MIN_SIDE = 64;
const MAX_SIDE = 4096;
// The largest picture of H.264 level 5.1, which is what players commonly stop at.
const MAX_PIXELS = 4096 * 2304;
const MAX_DURATION_SECONDS = 60;

/** Number of frames that the requested length comes to; at least one. */
export function countFrames({ durationSeconds }: Pick<VideoRequest, "durationSeconds">): number {
  return Math.max(1, Math.round(durationSeconds * FRAME_RATE));
}

/**
 * Checks a request before it goes to the worker.
 *
 * @throws RangeError for a size, length or seed outside the limits of {@link VideoRequest}.
 */
export function assertVideoRequest(request: VideoRequest): void {
  const { width, height, durationSeconds, seed } = request;
  for (const [name, side] of Object.entries({ width, height })) {
    if (!Number.isInteger(side) || side < MIN_SIDE || side > MAX_SIDE) {
      throw new RangeError(
        `Video ${name} ${side} is not possible: it must be a whole number from ${MIN_SIDE} to ${MAX_SIDE}.`,
      );
    }
    if (side % 2 !== 0) {
      throw new RangeError(
        `Video ${name} ${side} is odd: 4:2:0 video stores colour for squares of 2 × 2 pixels, so use ${side - 1} or ${side + 1}.`,
      );
    }
  }
  if (width * height > MAX_PIXELS) {
    throw new RangeError(`Video size ${width}x${height} is too large: at most ${MAX_PIXELS} pixels.`);
  }
  if (!(durationSeconds > 0 && durationSeconds <= MAX_DURATION_SECONDS)) {
    throw new RangeError(
      `Video duration ${durationSeconds} s is not possible: it must be above 0 and at most ${MAX_DURATION_SECONDS} s.`,
    );
  }
  if (!Number.isFinite(seed)) {
    throw new RangeError(`Video seed ${seed} is not possible: it must be a finite number.`);
  }
}
