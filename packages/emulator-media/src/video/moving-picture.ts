import type { YuvPicture } from "../image/yuv-picture.js";

/** Something that can paint every frame of a video. */
export interface MovingPicture {
  /** The picture that {@link paint} last painted. The same object every time. */
  readonly picture: YuvPicture;
  paint(frame: number): void;
}
