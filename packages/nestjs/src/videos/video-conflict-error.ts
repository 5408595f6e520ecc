import { HttpStatus } from "@nestjs/common";
import { VideoException } from "./video-exception.js";

/** What is asked for does not fit how the submission stands (409). Nothing has changed. */
export class VideoConflictError extends VideoException {
  readonly key: string;

  constructor(key: string, why: string) {
    super(HttpStatus.CONFLICT, why);
    this.key = key;
  }
}
