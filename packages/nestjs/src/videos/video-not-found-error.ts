import { HttpStatus } from "@nestjs/common";
import { VideoException } from "./video-exception.js";

/** There is no submission with this key (404): there never was, or it was finished and is forgotten by now. */
export class VideoNotFoundError extends VideoException {
  readonly key: string;

  constructor(key: string) {
    super(HttpStatus.NOT_FOUND, `There is no video with key ${key}.`);
    this.key = key;
  }
}
