import { type YuvPicture, yuvFromRgb } from "../image/yuv-picture.js";
import { seededRandom } from "../random/seeded-random.js";
import {
  type ComposedScene,
  composeScene,
  joinLayers,
  type Motion,
  type SceneLayer,
} from "../scene/compose-scene.js";
import { rasterize } from "../scene/rasterize.js";
import { readScene } from "../scene/read-scene.js";
import { n } from "../scene/svg.js";
import { CaptionSprite } from "./caption-sprite.js";
import type { MovingPicture } from "./moving-picture.js";
import type { VideoRequest } from "./video-request.js";
import { YuvSprite } from "./yuv-sprite.js";

/** A moving part: where it is at rest, in pixels, and how it moves. */
interface Actor {
  sprite: YuvSprite;
  x: number;
  y: number;
  motion: Motion;
  phase: number;
  /** Of a falling pattern, in pixels. */
  period: number;
}

/** Whole periods that rain falls in a loop; snow falls one. */
const POURS_PER_LOOP = 3;

/**
 * The scene that a prompt describes, with all that can move in motion: boats bob, balloons float, animals hop, clouds
 * sway, rain falls. What stands still is drawn once and each moving part once, which keeps painting cheap.
 */
export class SceneFilm implements MovingPicture {
  readonly picture: YuvPicture;

  readonly #backdrop: Uint8Array;
  readonly #actors: Actor[];
  readonly #caption: CaptionSprite;
  readonly #loopFrames: number;

  constructor(request: VideoRequest, loopFrames: number) {
    const { width, height, prompt, seed } = request;
    this.#loopFrames = loopFrames;
    this.#caption = new CaptionSprite(request);
    const scene = composeScene(readScene(prompt), { width, height, captionShare: this.#caption.share, seed });
    const still = scene.layers.filter(({ motion }) => motion === undefined);
    const moving = scene.layers.filter(({ motion }) => motion !== undefined);
    const random = seededRandom(seed);
    this.picture = paintBackdrop(still, scene, { width, height });
    this.#backdrop = this.picture.data.slice();
    // A view in which nothing could move has a few motes of light in it.
    const actors = moving.some(({ motion }) => motion !== "still")
      ? moving
      : [...moving, ...motes(scene, random)];
    this.#actors = actors.map((layer) => engage(layer, scene, { width, height }, random));
  }

  /** Paints frame `index`; frames that are a whole number of loops apart are equal. */
  paint(index: number): void {
    const { picture } = this;
    picture.data.set(this.#backdrop);
    const turn = (index % this.#loopFrames) / this.#loopFrames;
    for (const actor of this.#actors) {
      const { x, y } = moved(actor, turn, picture);
      actor.sprite.draw(picture, x, y);
    }
    this.#caption.draw(picture);
  }
}

interface PixelSize {
  width: number;
  height: number;
}

function paintBackdrop(
  layers: readonly SceneLayer[],
  { palette, ...size }: ComposedScene,
  pixels: PixelSize,
): YuvPicture {
  const wash = `<rect width="${n(size.width)}" height="${n(size.height)}" fill="${palette.wash}" fill-opacity="${palette.washShare}"/>`;
  const { data } = rasterize(joinLayers(layers) + wash, pixels, size);
  return yuvFromRgb({ ...pixels, channels: 4, data });
}

/** Draws a layer once, in the part of the picture that it covers. */
function engage(layer: SceneLayer, scene: ComposedScene, pixels: PixelSize, random: () => number): Actor {
  const scale = pixels.width / scene.width;
  const { motion = "still", period = 0 } = layer;
  const box = layer.box ?? { x: 0, y: -period, width: scene.width, height: scene.height + period };
  const even = (value: number) => Math.floor(value / 2) * 2;
  const [x, y] = [even(box.x * scale), even(box.y * scale)];
  const size = { width: even(box.width * scale) + 4, height: even(box.height * scale) + 4 };
  const view = { x: x / scale, y: y / scale, width: size.width / scale, height: size.height / scale };
  const wash = { color: scene.palette.wash, share: scene.palette.washShare };
  const sprite = new YuvSprite(rasterize(layer.markup, size, view), wash);
  return { sprite, x, y, motion, phase: random(), period: Math.round(period * scale) };
}

function moved(
  { x, y, motion, phase, period }: Actor,
  turn: number,
  { width, height }: PixelSize,
): { x: number; y: number } {
  const wave = Math.sin(2 * Math.PI * (turn + phase));
  const reach = Math.min(width, height);
  switch (motion) {
    case "bob":
      return { x, y: y + Math.round(0.014 * reach * wave) };
    case "float":
      return {
        x: x + Math.round(0.012 * reach * Math.cos(2 * Math.PI * (turn + phase))),
        y: y + Math.round(0.03 * reach * wave),
      };
    case "hop":
      return { x, y: y - Math.round(0.03 * reach * Math.abs(wave)) };
    case "drift":
      return { x: x + Math.round(0.02 * reach * wave), y };
    case "fall":
      return { x, y: y + Math.round(turn * period) };
    case "pour":
      return { x, y: y + Math.round(((POURS_PER_LOOP * turn) % 1) * period) };
    case "still":
      return { x, y };
  }
}

function motes({ width, height, palette }: ComposedScene, random: () => number): SceneLayer[] {
  return Array.from({ length: 5 }, () => {
    const [x, y] = [width * (0.1 + 0.8 * random()), height * (0.3 + 0.45 * random())];
    return {
      markup: `<circle cx="${n(x)}" cy="${n(y)}" r="18" fill="${palette.light}" opacity=".35"/><circle cx="${n(x)}" cy="${n(y)}" r="7" fill="${palette.light}"/>`,
      box: { x: x - 20, y: y - 20, width: 40, height: 40 },
      motion: "float" as const,
    };
  });
}
