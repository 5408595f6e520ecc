import { HttpStatus } from "@nestjs/common";
import { VideoException } from "./video-exception.js";

/**
 * The store of video tasks failed (503), as when Redis is away or a disk is full. Nothing was sent to the gateway, and nothing
 * was paid: what was asked for can be asked for again, with the same key. `cause` is the store's own error.
 */
export class VideoTaskStoreError extends VideoException {
  constructor(cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(
      HttpStatus.SERVICE_UNAVAILABLE,
      "The video tasks cannot be read or written down at the moment. Nothing was paid. Try again later.",
      { detail: `The store of video tasks failed, and nothing was paid: ${reason}`, cause },
    );
  }
}
