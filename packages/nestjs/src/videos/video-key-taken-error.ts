import { ConflictException } from "@nestjs/common";

/** There is a submission with this key already. Nothing was sent, nothing was paid: watch that one. */
export class VideoKeyTakenError extends ConflictException {
  readonly key: string;

  constructor(key: string) {
    super(`There is a video with key ${key} already. Nothing was sent: watch that one, or use another key.`);
    this.key = key;
  }
}
