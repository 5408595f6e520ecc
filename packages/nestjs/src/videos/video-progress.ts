import type { VideoFile } from "@model-gateway/core";
import type { VideoTaskRecord, VideoTaskRecordStatus } from "./video-task-record.js";

/** What an application shows its users of a submission: nothing of the gateway's raw answers. */
export interface VideoProgress {
  key: string;
  status: VideoTaskRecordStatus;
  /** Set while it waits for its turn, before it is sent: its status is `queued`. */
  waiting?: true;
  /** Set while the task cannot be read: it goes on, and the rest is what was last seen of it. */
  stalled?: true;
  /** 0 to 100, when the gateway tells. */
  progress?: number;
  /** Empty until the task has succeeded. URLs may expire. */
  videos: VideoFile[];
  lastFrameURL?: string;
  /** Why the task ended without a video, when the gateway tells. */
  error?: { code?: string; message: string };
}

/** Reduces a record to what may be shown, as `videoEvents()` does. */
export function videoProgress({ key, status, waiting, stalled, task }: VideoTaskRecord): VideoProgress {
  const { progress, videos = [], lastFrameURL, error } = task ?? {};
  return {
    key,
    status,
    videos,
    ...(waiting !== undefined && { waiting: true }),
    ...(stalled !== undefined && { stalled: true }),
    ...(progress !== undefined && { progress }),
    ...(lastFrameURL !== undefined && { lastFrameURL }),
    ...(error !== undefined && { error }),
  };
}
