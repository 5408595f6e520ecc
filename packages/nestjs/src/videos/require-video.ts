import { VideoNotFoundError } from "./video-not-found-error.js";
import type { VideoTaskRecord } from "./video-task-record.js";

/** @throws VideoNotFoundError when there is no record */
export function requireVideo(key: string, record: VideoTaskRecord | undefined): VideoTaskRecord {
  if (record === undefined) throw new VideoNotFoundError(key);
  return record;
}
