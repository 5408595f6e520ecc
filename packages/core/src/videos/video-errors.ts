import {
  defineKnown,
  GatewayError,
  type GatewayErrorDetails,
  markErrorClass,
} from "../errors/gateway-error.js";
import type { VideoTaskHandle } from "../tasks/video-task-handle.js";
import type { VideoTask } from "./video-types.js";

/** A task ended without a video: it failed, was cancelled, or expired. */
export class VideoTaskFailedError extends GatewayError {
  readonly kind = "video_task_failed";
  readonly task: VideoTask;

  constructor(task: VideoTask, details: GatewayErrorDetails = {}) {
    const code = task.error?.code === undefined ? "" : ` (code ${task.error.code})`;
    const reason = task.error === undefined ? "the gateway gives no reason" : `${task.error.message}${code}`;
    super(`Video task ${task.id} ended as ${task.status}: ${reason}. Waiting longer does not help.`, details);
    this.task = task;
    this.handle = task.handle;
  }

  declare static readonly isInstance: (error: unknown) => error is VideoTaskFailedError;
}
markErrorClass(VideoTaskFailedError, "VideoTaskFailedError");

/** A watch reached its own `timeoutMs`. The task goes on: keep `handle` and watch it again. */
export class VideoTaskTimeoutError extends GatewayError {
  readonly kind = "video_task_timeout";
  declare handle: VideoTaskHandle;
  readonly timeoutMs: number;
  /** The task as last seen, when a poll got through. */
  declare readonly task?: VideoTask;

  constructor(handle: VideoTaskHandle, timeoutMs: number, task?: VideoTask) {
    const seen = task === undefined ? "" : ` It was last seen ${task.status}.`;
    super(
      `Video task ${handle.id} was not over after ${timeoutMs} ms.${seen} It goes on and is billed as usual: ` +
        "keep error.handle and watch it again instead of creating it anew.",
    );
    this.handle = handle;
    this.timeoutMs = timeoutMs;
    defineKnown(this, { task });
  }

  declare static readonly isInstance: (error: unknown) => error is VideoTaskTimeoutError;
}
markErrorClass(VideoTaskTimeoutError, "VideoTaskTimeoutError");
