import { YuvPicture } from "../image/yuv-picture.js";
import { CaptionSprite } from "./caption-sprite.js";
import type { MovingPicture } from "./moving-picture.js";
import type { VideoRequest } from "./video-request.js";

// A loop twice as long moves twice as far, at the same speed.
const ZOOM_PER_LOOP_FRAME = 0.12 / 48;

/**
 * A given picture that the camera slowly moves towards and away from, once per loop. The first frame is the picture
 * itself; the caption comes up over it during the first `introFrames`.
 */
export class PictureScene implements MovingPicture {
  readonly picture: YuvPicture;

  readonly #source: YuvPicture;
  readonly #caption: CaptionSprite;
  readonly #loopFrames: number;
  readonly #introFrames: number;

  constructor(
    request: VideoRequest,
    source: YuvPicture,
    { loopFrames, introFrames }: { loopFrames: number; introFrames: number },
  ) {
    this.picture = new YuvPicture(source.width, source.height);
    this.#source = source;
    this.#caption = new CaptionSprite(request);
    this.#loopFrames = loopFrames;
    this.#introFrames = introFrames;
  }

  /** Paints a frame; after the intro, frames that are a whole number of loops apart are equal. */
  paint(frame: number): void {
    const angle = (2 * Math.PI * (frame % this.#loopFrames)) / this.#loopFrames;
    const zoom = 1 + ZOOM_PER_LOOP_FRAME * this.#loopFrames * 0.5 * (1 - Math.cos(angle));
    const { width, height } = this.picture;
    magnify(this.#source.luma, this.picture.luma, width, height, zoom);
    magnify(this.#source.chromaU, this.picture.chromaU, width / 2, height / 2, zoom);
    magnify(this.#source.chromaV, this.picture.chromaV, width / 2, height / 2, zoom);
    const strength = Math.min(1, frame / this.#introFrames);
    if (strength > 0) this.#caption.draw(this.picture, strength);
  }
}

/** Magnifies a plane around its centre, with bilinear interpolation in steps of 1/256 sample. */
function magnify(source: Uint8Array, target: Uint8Array, width: number, height: number, zoom: number): void {
  if (zoom === 1) {
    target.set(source);
    return;
  }
  const columns = samplePositions(width, zoom);
  const rows = samplePositions(height, zoom);
  for (let y = 0, to = 0; y < height; y++) {
    const upper = (rows[y]! >> 8) * width;
    const lower = Math.min(upper + width, (height - 1) * width);
    const down = rows[y]! & 255;
    for (let x = 0; x < width; x++, to++) {
      const left = columns[x]! >> 8;
      const right = Math.min(left + 1, width - 1);
      const across = columns[x]! & 255;
      const top = source[upper + left]! * (256 - across) + source[upper + right]! * across;
      const bottom = source[lower + left]! * (256 - across) + source[lower + right]! * across;
      target[to] = (top * (256 - down) + bottom * down + 32768) >> 16;
    }
  }
}

/** For every sample of a magnified line, the place it comes from, times 256. */
function samplePositions(length: number, zoom: number): Int32Array {
  return Int32Array.from({ length }, (_, index) =>
    Math.max(0, Math.round(((index + 0.5 - length / 2) / zoom + length / 2 - 0.5) * 256)),
  );
}
