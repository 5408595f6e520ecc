import { type YuvColor, YuvPicture, yuvFromHsl } from "../image/yuv-picture.js";
import { seededRandom } from "../random/seeded-random.js";
import type { MovingPicture } from "./moving-picture.js";
import { layOutVideoCaption, paintCaption } from "./paint-caption.js";
import type { VideoRequest } from "./video-request.js";

const PROMPT_SHARE = 0.42;
const TRACK_LIGHT = 14;

/**
 * The moving picture: a disc that runs around a track once per loop, over a gradient, above a panel with the
 * prompt. Everything but the disc stands still, which keeps both painting and encoding cheap.
 */
export class Scene implements MovingPicture {
  readonly picture: YuvPicture;

  readonly #backdrop: Uint8Array;
  readonly #discColor: YuvColor;
  readonly #discRadius: number;
  readonly #track: { x: number; y: number; radiusX: number; radiusY: number };
  readonly #loopFrames: number;

  constructor(request: VideoRequest, loopFrames: number) {
    const { width, height, seed } = request;
    const random = seededRandom(seed);
    const hue = random() * 360;
    const drift = 30 + random() * 60;
    this.picture = new YuvPicture(width, height);
    this.#loopFrames = loopFrames;
    this.#discColor = yuvFromHsl(hue + 180, 0.85, 0.68);
    paintGradient(this.picture, yuvFromHsl(hue, 0.6, 0.5), yuvFromHsl(hue + drift, 0.65, 0.24));
    const caption = layOutVideoCaption(request, PROMPT_SHARE);
    paintCaption(this.picture, caption);
    const panelTop = caption.top;
    this.#discRadius = Math.max(4, Math.min(width, panelTop) / 9);
    this.#track = { x: width / 2, y: panelTop / 2, radiusX: width * 0.36, radiusY: panelTop * 0.32 };
    paintTrack(this.picture, this.#track, Math.max(1, this.#discRadius / 12));
    this.#backdrop = this.picture.data.slice();
  }

  /** Paints frame `index`; frames that are a whole number of loops apart are equal. */
  paint(index: number): void {
    this.picture.data.set(this.#backdrop);
    const angle = (2 * Math.PI * (index % this.#loopFrames)) / this.#loopFrames - Math.PI / 2;
    const x = this.#track.x + this.#track.radiusX * Math.cos(angle);
    const y = this.#track.y + this.#track.radiusY * Math.sin(angle);
    paintDisc(this.picture, x, y, this.#discRadius, this.#discColor);
  }
}

function paintGradient(picture: YuvPicture, from: YuvColor, to: YuvColor): void {
  const fill = (plane: Uint8Array, width: number, height: number, start: number, end: number) => {
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        plane[y * width + x] = Math.round(start + (end - start) * 0.5 * (x / width + y / height));
      }
    }
  };
  const { width, height } = picture;
  fill(picture.luma, width, height, from.y, to.y);
  fill(picture.chromaU, width / 2, height / 2, from.u, to.u);
  fill(picture.chromaV, width / 2, height / 2, from.v, to.v);
}

function paintTrack(
  { luma, width }: YuvPicture,
  track: { x: number; y: number; radiusX: number; radiusY: number },
  dotRadius: number,
): void {
  const dots = 48;
  for (let dot = 0; dot < dots; dot++) {
    const angle = (2 * Math.PI * dot) / dots;
    const centerX = Math.round(track.x + track.radiusX * Math.cos(angle));
    const centerY = Math.round(track.y + track.radiusY * Math.sin(angle));
    const reach = Math.ceil(dotRadius);
    for (let y = -reach; y <= reach; y++) {
      for (let x = -reach; x <= reach; x++) {
        const at = (centerY + y) * width + centerX + x;
        if (x * x + y * y <= dotRadius * dotRadius) luma[at] = Math.min(235, luma[at]! + TRACK_LIGHT);
      }
    }
  }
}

function paintDisc(picture: YuvPicture, x: number, y: number, radius: number, color: YuvColor): void {
  const { width, height } = picture;
  blendDisc(picture.luma, width, height, x, y, radius, color.y);
  blendDisc(picture.chromaU, width / 2, height / 2, x / 2, y / 2, radius / 2, color.u);
  blendDisc(picture.chromaV, width / 2, height / 2, x / 2, y / 2, radius / 2, color.v);
}

/** Blends a disc into one plane, with its rim softened over one sample. */
function blendDisc(
  plane: Uint8Array,
  width: number,
  height: number,
  centerX: number,
  centerY: number,
  radius: number,
  value: number,
): void {
  const top = Math.max(0, Math.floor(centerY - radius - 1));
  const bottom = Math.min(height, Math.ceil(centerY + radius + 1));
  const left = Math.max(0, Math.floor(centerX - radius - 1));
  const right = Math.min(width, Math.ceil(centerX + radius + 1));
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const distance = Math.sqrt((x + 0.5 - centerX) ** 2 + (y + 0.5 - centerY) ** 2);
      const cover = Math.min(1, Math.max(0, radius - distance + 0.5));
      const at = y * width + x;
      plane[at] = Math.round(plane[at]! + (value - plane[at]!) * cover);
    }
  }
}
