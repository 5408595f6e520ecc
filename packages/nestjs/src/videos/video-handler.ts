import type { VideoDeliveryAttempt, VideoHandlerStatus } from "./video-delivery.js";
import type { VideoTaskRecord } from "./video-task-record.js";

/** Something that is to be called when submissions come to their end. */
export interface VideoHandler {
  /** Of all handlers of an instance, the only one of this name. */
  name: string;
  statuses: ReadonlySet<VideoHandlerStatus>;
  /** What it returns is waited for; it has dealt with it when that resolves. */
  handle(record: VideoTaskRecord, delivery: VideoDeliveryAttempt): unknown;
}
