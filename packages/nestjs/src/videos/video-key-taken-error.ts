import { HttpStatus } from "@nestjs/common";
import { VideoException } from "./video-exception.js";

/** There is a submission with this key already (409). Nothing was sent, nothing was paid: watch that one. */
export class VideoKeyTakenError extends VideoException {
  readonly key: string;

  constructor(key: string) {
    super(
      HttpStatus.CONFLICT,
      `There is a video with key ${key} already. Nothing was sent: watch that one, or use another key.`,
    );
    this.key = key;
  }
}
