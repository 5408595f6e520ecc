import type { VideoTaskHandle } from "@model-gateway/core";
import { HttpStatus } from "@nestjs/common";
import { VideoException } from "./video-exception.js";

/**
 * The store has forgotten a submission that it had acknowledged, as when its server was emptied or came back without its
 * last writes (500). The task itself goes on at the gateway: `handle` names it, when it was known here.
 */
export class VideoLostError extends VideoException {
  override readonly maybeProcessed = true;
  readonly key: string;
  readonly handle: VideoTaskHandle | undefined;

  constructor(key: string, handle: VideoTaskHandle | undefined, cause?: unknown) {
    const named =
      handle === undefined
        ? "The usage records of the API key tell whether it was paid for"
        : `Its task goes on at the gateway; read it with its handle ${JSON.stringify(handle)}`;
    const why = cause === undefined ? "" : ` ${cause instanceof Error ? cause.message : String(cause)}`;
    super(
      HttpStatus.INTERNAL_SERVER_ERROR,
      `Video ${key} is not known any more. It may have been paid for: do not submit it again.`,
      {
        detail: `The store of video tasks has lost video ${key}, and it is polled no more.${why} ${named}.`,
        cause,
      },
    );
    this.key = key;
    this.handle = handle;
  }
}
