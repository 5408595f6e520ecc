import type { YuvPicture } from "../image/yuv-picture.js";
import { channelsOf } from "../scene/hex-color.js";
import type { PremultipliedPicture } from "../scene/rasterize.js";

/** A drawn part of a scene that can be laid over a 4:2:0 picture at any place. */
export class YuvSprite {
  readonly width: number;
  readonly height: number;

  /** Per plane what is added, and the share of 255 that hides what lies below. */
  readonly #luma: Uint8Array;
  readonly #lumaAlpha: Uint8Array;
  readonly #chromaU: Uint8Array;
  readonly #chromaV: Uint8Array;
  readonly #chromaAlpha: Uint8Array;

  /**
   * @param drawn of even width and height
   * @param wash a colour that lies over all of the scene, and how much of it
   */
  constructor(drawn: PremultipliedPicture, wash?: { color: string; share: number }) {
    const { width, height, data } = drawn;
    this.width = width;
    this.height = height;
    const size = width * height;
    this.#luma = new Uint8Array(size);
    this.#lumaAlpha = new Uint8Array(size);
    this.#chromaU = new Uint8Array(size / 4);
    this.#chromaV = new Uint8Array(size / 4);
    this.#chromaAlpha = new Uint8Array(size / 4);
    const share = wash?.share ?? 0;
    const [washRed, washGreen, washBlue] = channelsOf(wash?.color ?? "#000000").map(
      (value) => (value * share) / 255,
    );
    for (let y = 0; y < height; y += 2) {
      for (let x = 0; x < width; x += 2) {
        let [redSum, greenSum, blueSum, alphaSum] = [0, 0, 0, 0];
        for (const pixel of [
          y * width + x,
          y * width + x + 1,
          (y + 1) * width + x,
          (y + 1) * width + x + 1,
        ]) {
          const alpha = data[4 * pixel + 3]!;
          if (alpha === 0) continue;
          const red = data[4 * pixel]! * (1 - share) + alpha * washRed!;
          const green = data[4 * pixel + 1]! * (1 - share) + alpha * washGreen!;
          const blue = data[4 * pixel + 2]! * (1 - share) + alpha * washBlue!;
          const light = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
          this.#luma[pixel] = Math.round((16 * alpha + 219 * light) / 255);
          this.#lumaAlpha[pixel] = alpha;
          redSum += red;
          greenSum += green;
          blueSum += blue;
          alphaSum += alpha;
        }
        if (alphaSum === 0) continue;
        const light = 0.2126 * redSum + 0.7152 * greenSum + 0.0722 * blueSum;
        const chroma = (y >> 1) * (width >> 1) + (x >> 1);
        this.#chromaU[chroma] = Math.round((128 * alphaSum + (224 * (blueSum - light)) / 1.8556) / (4 * 255));
        this.#chromaV[chroma] = Math.round((128 * alphaSum + (224 * (redSum - light)) / 1.5748) / (4 * 255));
        this.#chromaAlpha[chroma] = Math.round(alphaSum / 4);
      }
    }
  }

  /** Lays it over a picture, in parts outside of it where it is so; with `strength` below 1 it is fainter. */
  draw(picture: YuvPicture, x: number, y: number, strength = 1): void {
    const { width, height } = picture;
    const half = { width: this.width / 2, height: this.height / 2 };
    const [left, top] = [Math.floor(x / 2), Math.floor(y / 2)];
    const share = Math.round(256 * strength);
    blend(picture.luma, width, height, this.#luma, this.#lumaAlpha, this, x, y, share);
    blend(picture.chromaU, width / 2, height / 2, this.#chromaU, this.#chromaAlpha, half, left, top, share);
    blend(picture.chromaV, width / 2, height / 2, this.#chromaV, this.#chromaAlpha, half, left, top, share);
  }
}

function blend(
  plane: Uint8Array,
  width: number,
  height: number,
  added: Uint8Array,
  alphas: Uint8Array,
  size: { width: number; height: number },
  x: number,
  y: number,
  share: number,
): void {
  const firstColumn = Math.max(0, -x);
  const lastColumn = Math.min(size.width, width - x);
  for (let row = Math.max(0, -y); row < Math.min(size.height, height - y); row++) {
    let to = (y + row) * width + x + firstColumn;
    const end = row * size.width + lastColumn;
    for (let from = row * size.width + firstColumn; from < end; from++, to++) {
      const alpha = alphas[from]!;
      if (alpha === 0) continue;
      const below = plane[to]!;
      const covered = added[from]! + Math.round((below * (255 - alpha)) / 255);
      plane[to] = share === 256 ? covered : (covered * share + below * (256 - share) + 128) >> 8;
    }
  }
}
