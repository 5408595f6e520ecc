import type { PremultipliedPicture } from "../scene/rasterize.js";
import type { RgbColor } from "../scene/rgb-color.js";
import type { RasterPicture } from "./raster-picture.js";

/** A picture with the few operations that painting needs. Begins black and, with four channels, opaque. */
export class Canvas implements RasterPicture {
  readonly data: Uint8Array;

  constructor(
    readonly width: number,
    readonly height: number,
    readonly channels: 3 | 4,
  ) {
    this.data = new Uint8Array(width * height * channels);
    if (channels === 4) for (let at = 3; at < this.data.length; at += 4) this.data[at] = 255;
  }

  /** Paints an opaque rectangle; what lies outside the picture is left out. */
  fill(x: number, y: number, width: number, height: number, { red, green, blue }: RgbColor): void {
    const { data, channels } = this;
    const left = Math.max(0, x);
    const right = Math.min(x + width, this.width);
    for (let row = Math.max(0, y); row < Math.min(y + height, this.height); row++) {
      const end = (row * this.width + right) * channels;
      for (let at = (row * this.width + left) * channels; at < end; at += channels) {
        data[at] = red;
        data[at + 1] = green;
        data[at + 2] = blue;
        if (channels === 4) data[at + 3] = 255;
      }
    }
  }

  /** Lays a picture of the same size over this one. */
  overlay({ data: above }: PremultipliedPicture): void {
    const { data, channels } = this;
    for (let from = 0, to = 0; from < above.length; from += 4, to += channels) {
      const alpha = above[from + 3]!;
      if (alpha === 0) continue;
      const below = channels === 4 ? data[to + 3]! : 255;
      // What is seen of this picture, and the opacity of both, in units of 1/255.
      const shown = (below * (255 - alpha)) / 255;
      const opacity = alpha + shown;
      for (let channel = 0; channel < 3; channel++) {
        data[to + channel] = Math.round(
          (above[from + channel]! * 255 + data[to + channel]! * shown) / opacity,
        );
      }
      if (channels === 4) data[to + 3] = Math.round(opacity);
    }
  }

  /** Copies the colours of a picture, opaque, to a place where all of it lies inside this one. */
  draw(picture: RasterPicture, x: number, y: number): void {
    for (let row = 0; row < picture.height; row++) {
      let from = row * picture.width * picture.channels;
      let to = ((y + row) * this.width + x) * this.channels;
      for (let column = 0; column < picture.width; column++) {
        this.data[to] = picture.data[from]!;
        this.data[to + 1] = picture.data[from + 1]!;
        this.data[to + 2] = picture.data[from + 2]!;
        if (this.channels === 4) this.data[to + 3] = 255;
        from += picture.channels;
        to += this.channels;
      }
    }
  }
}
