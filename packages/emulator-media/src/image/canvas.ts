import type { RasterPicture } from "./raster-picture.js";
import type { RgbColor } from "./rgb-color.js";

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

  /** Mixes a colour into one pixel inside the picture: not at all at `share` 0, fully at 1. Leaves alpha as it is. */
  mix(x: number, y: number, { red, green, blue }: RgbColor, share: number): void {
    const { data } = this;
    const at = (y * this.width + x) * this.channels;
    data[at] = data[at]! + (red - data[at]!) * share;
    data[at + 1] = data[at + 1]! + (green - data[at + 1]!) * share;
    data[at + 2] = data[at + 2]! + (blue - data[at + 2]!) * share;
  }

  /** Copies the colours of a picture to a place where all of it lies inside this one. */
  draw(picture: RasterPicture, x: number, y: number): void {
    for (let row = 0; row < picture.height; row++) {
      let from = row * picture.width * picture.channels;
      let to = ((y + row) * this.width + x) * this.channels;
      for (let column = 0; column < picture.width; column++) {
        this.data[to] = picture.data[from]!;
        this.data[to + 1] = picture.data[from + 1]!;
        this.data[to + 2] = picture.data[from + 2]!;
        from += picture.channels;
        to += this.channels;
      }
    }
  }
}
