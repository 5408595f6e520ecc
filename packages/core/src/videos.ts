export { APIPromise, type GatewayResponse, type WithResponse } from "./call/api-promise.js";
export type { RequestOptions } from "./call/call.js";
export { Connection } from "./call/connection.js";
export type { APIKeySource } from "./checks/check-api-key.js";
export type { Route } from "./config/addresses.js";
export type { ModelGatewayOptions } from "./config/config.js";
export type {
  CallEvent,
  FailoverEvent,
  GatewayHooks,
  GatewayLogger,
  LogLevel,
  PollFailedEvent,
  ResponseEvent,
  RetryEvent,
  StreamEndEvent,
} from "./hooks/observer.js";
export type { VideoFamily, VideoTaskHandle } from "./tasks/video-task-handle.js";
export type { AddressKind } from "./transport/address-kind.js";
export type { FetchFunction } from "./transport/fetch-transport.js";
export { createVideos } from "./videos/create-videos.js";
export type { PollPace } from "./videos/poll-scheduler.js";
export type { PollBackoff, PollOptions, VideoPoll } from "./videos/poll-video-task.js";
export type { ReadCallbackOptions, VideoCallback } from "./videos/read-video-callback.js";
export { VideoTaskFailedError, VideoTaskTimeoutError } from "./videos/video-errors.js";
export { type VideoOutcome, type VideoStatus, videoOutcome } from "./videos/video-status.js";
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
