export * from "./common.js";
export type { VideoFamily, VideoTaskHandle } from "./tasks/video-task-handle.js";
export { createVideos } from "./videos/create-videos.js";
export type { PollBackoff } from "./videos/poll-delay.js";
export type { PollOutage, PollPace } from "./videos/poll-scheduler.js";
export type { PollOptions, VideoPoll } from "./videos/poll-video-task.js";
export type { ReadCallbackOptions, VideoCallback } from "./videos/read-video-callback.js";
export { VideoTaskFailedError, VideoTaskTimeoutError } from "./videos/video-errors.js";
export {
  FINAL_VIDEO_STATUSES,
  type FinalVideoStatus,
  VIDEO_STATUS,
  type VideoOutcome,
  type VideoStatus,
  videoOutcome,
} from "./videos/video-status.js";
export type {
  AudioReferenceItem,
  DraftTaskItem,
  ImageToVideoRequest,
  OmniVideoRequest,
  VideoContentItem,
  VideoCreateRequest,
  VideoFile,
  VideoImageItem,
  VideoReferenceItem,
  VideoRequests,
  VideoSubmission,
  VideoTask,
  VideoTextItem,
} from "./videos/video-types.js";
export type { Videos } from "./videos/videos.js";
export type { PollTrouble, VideoWatch, WatchOptions } from "./videos/watch-video-task.js";
export { withholdResult } from "./videos/withhold-result.js";
