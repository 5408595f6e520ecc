import type { VideoTaskHandle } from "@model-gateway/core";
import { HttpStatus } from "@nestjs/common";
import { VideoException } from "./video-exception.js";

/**
 * The gateway took a video, and the store did not take its handle (500). It was paid for, and its key stays taken: keep
 * `handle`, and reconcile the key with its task id once the store works again.
 */
export class VideoNotKeptError extends VideoException {
  override readonly maybeProcessed = true;
  readonly key: string;
  readonly handle: VideoTaskHandle;

  constructor(key: string, handle: VideoTaskHandle, cause: unknown) {
    super(
      HttpStatus.INTERNAL_SERVER_ERROR,
      "The video was paid for, and its task could not be written down. Do not submit it again under another key.",
      {
        detail:
          `Video task ${key} was paid for, but the store did not take its handle ${JSON.stringify(handle)}. Keep the ` +
          `handle: once the store works again, reconcile the key with its task id. The store said: ${String(cause)}`,
        cause,
      },
    );
    this.key = key;
    this.handle = handle;
  }
}
