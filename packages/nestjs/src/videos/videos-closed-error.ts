import { HttpStatus } from "@nestjs/common";
import { VideoException } from "./video-exception.js";

/** The application is closing (503). Nothing was sent, nothing was paid: another process takes it. */
export class VideosClosedError extends VideoException {
  constructor() {
    super(HttpStatus.SERVICE_UNAVAILABLE, "The application is closing. Nothing was sent, nothing was paid.");
  }
}
