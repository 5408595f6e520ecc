import type { YuvPicture } from "../image/yuv-picture.js";
import { layOutCaptionLine } from "../scene/caption-line.js";
import { rasterize } from "../scene/rasterize.js";
import { countFrames, FRAME_RATE, type VideoRequest } from "./video-request.js";
import { YuvSprite } from "./yuv-sprite.js";

/** The line at the bottom of a video: the prompt, and its size, length and seed. */
export class CaptionSprite {
  /** How much of the height it takes. */
  readonly share: number;

  readonly #sprite: YuvSprite | undefined;
  readonly #top: number;

  constructor(request: VideoRequest) {
    const { width, height, prompt, seed } = request;
    const seconds = Number((countFrames(request) / FRAME_RATE).toFixed(2));
    const details = [`${width}x${height}`, `${seconds} s`, `seed ${seed}`];
    const { markup, share } = layOutCaptionLine({ width, height, prompt, details });
    this.share = share;
    this.#top = Math.floor((height * (1 - share)) / 2) * 2;
    const size = { width, height: height - this.#top };
    if (markup !== "") this.#sprite = new YuvSprite(rasterize(markup, size, { y: this.#top, ...size }));
  }

  /** Paints it over a picture, from not at all (strength 0) to fully (1). */
  draw(picture: YuvPicture, strength = 1): void {
    this.#sprite?.draw(picture, 0, this.#top, strength);
  }
}
