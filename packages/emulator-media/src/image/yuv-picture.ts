import type { RasterPicture } from "./raster-picture.js";

/** A planar 4:2:0 picture (I420) in BT.709 limited range: luma 16–235, chroma 16–240 around 128. Width and height are even. */
export class YuvPicture {
  /** The three planes one after the other, as encoders take them. */
  readonly data: Uint8Array;
  readonly luma: Uint8Array;
  readonly chromaU: Uint8Array;
  readonly chromaV: Uint8Array;

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    const size = width * height;
    this.data = new Uint8Array(size * 1.5);
    this.luma = this.data.subarray(0, size);
    this.chromaU = this.data.subarray(size, size * 1.25);
    this.chromaV = this.data.subarray(size * 1.25);
  }
}

/** Converts to RGB; each chroma sample colours its square of four pixels. */
export function rgbFromYuv({ width, height, luma, chromaU, chromaV }: YuvPicture): RasterPicture {
  // Clamps and rounds on assignment.
  const data = new Uint8ClampedArray(width * height * 3);
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0; x < width; x++, to += 3) {
      const chroma = (y >> 1) * (width >> 1) + (x >> 1);
      const light = (luma[y * width + x]! - 16) * (255 / 219);
      const u = (chromaU[chroma]! - 128) * (255 / 224);
      const v = (chromaV[chroma]! - 128) * (255 / 224);
      data[to] = light + 1.5748 * v;
      data[to + 1] = light - 0.1873 * u - 0.4681 * v;
      data[to + 2] = light + 1.8556 * u;
    }
  }
  return { width, height, channels: 3, data: new Uint8Array(data.buffer) };
}

/** Converts from RGB at an even size; each chroma sample is the mean of its square of four pixels. */
export function yuvFromRgb({ width, height, channels, data }: RasterPicture): YuvPicture {
  const picture = new YuvPicture(width, height);
  const { luma, chromaU, chromaV } = picture;
  for (let y = 0; y < height; y += 2) {
    for (let x = 0; x < width; x += 2) {
      let [redSum, greenSum, blueSum] = [0, 0, 0];
      for (const pixel of [y * width + x, y * width + x + 1, (y + 1) * width + x, (y + 1) * width + x + 1]) {
        const red = data[pixel * channels]!;
        const green = data[pixel * channels + 1]!;
        const blue = data[pixel * channels + 2]!;
        luma[pixel] = Math.round(16 + (219 / 255) * (0.2126 * red + 0.7152 * green + 0.0722 * blue));
        redSum += red;
        greenSum += green;
        blueSum += blue;
      }
      const light = 0.2126 * redSum + 0.7152 * greenSum + 0.0722 * blueSum;
      const chroma = (y >> 1) * (width >> 1) + (x >> 1);
      chromaU[chroma] = Math.round(128 + ((224 / 255) * (blueSum - light)) / (4 * 1.8556));
      chromaV[chroma] = Math.round(128 + ((224 / 255) * (redSum - light)) / (4 * 1.5748));
    }
  }
  return picture;
}
