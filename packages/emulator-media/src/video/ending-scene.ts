import type { YuvPicture } from "../image/yuv-picture.js";
import type { MovingPicture } from "./moving-picture.js";

/** Another scene that turns into a given picture over its last `outroFrames`; the last frame is the picture itself. */
export class EndingScene implements MovingPicture {
  readonly picture: YuvPicture;

  readonly #scene: MovingPicture;
  readonly #ending: YuvPicture;
  readonly #outroStart: number;
  readonly #outroFrames: number;

  constructor(
    scene: MovingPicture,
    ending: YuvPicture,
    { frames, outroFrames }: { frames: number; outroFrames: number },
  ) {
    this.picture = scene.picture;
    this.#scene = scene;
    this.#ending = ending;
    this.#outroStart = frames - outroFrames;
    this.#outroFrames = outroFrames;
  }

  paint(frame: number): void {
    this.#scene.paint(frame);
    if (frame < this.#outroStart) return;
    const progress = (frame - this.#outroStart + 1) / this.#outroFrames;
    // Slow at both ends, so that neither is seen to jump.
    const share = Math.round(256 * progress * progress * (3 - 2 * progress));
    const { data } = this.picture;
    const ending = this.#ending.data;
    for (let at = 0; at < data.length; at++) {
      data[at] = (data[at]! * (256 - share) + ending[at]! * share + 128) >> 8;
    }
  }
}
