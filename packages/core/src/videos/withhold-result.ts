import { readStatusWord } from "./video-status.js";
import type { VideoTask } from "./video-types.js";

/**
 * A task that is over as one that still runs, without its results: for whoever has more to do before anybody may take it for
 * over, such as downloading them. `raw` stays.
 */
export function withholdResult(task: VideoTask): VideoTask {
  const { lastFrameURL: _later, ...rest } = task;
  return { ...rest, status: readStatusWord(undefined), videos: [] };
}
