import { FRAMES_PER_SECOND } from "../tasks/video-dimensions.js";
import type { VideoTaskSettings } from "../tasks/video-task.js";

const PIXELS_PER_TOKEN = 1_024;

/** The tokens of a video: width × height × frames ÷ 1024, with one frame more than its seconds have. */
export function countVideoTokens({ width, height, durationSeconds }: VideoTaskSettings): number {
  const frames = FRAMES_PER_SECOND * durationSeconds + 1;
  return Math.floor((width * height * frames) / PIXELS_PER_TOKEN);
}
