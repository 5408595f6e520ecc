import { seededRandom } from "../random/seeded-random.js";
import { mixColors } from "./hex-color.js";
import { layOutLabel } from "./label.js";
import { PAINT_COLORS } from "./paint-color.js";
import { paintFigure } from "./paint-figure.js";
import { paintGround } from "./paint-ground.js";
import { paintCloud, paintSky } from "./paint-sky.js";
import { type Palette, paletteOf } from "./palette.js";
import { type PlacedFigure, placeFigures } from "./place-figures.js";
import type { Scene } from "./scene.js";
import type { SceneFrame } from "./scene-frame.js";
import { n } from "./svg.js";

/** How a layer moves. Every motion ends where it began after one loop. */
export type Motion = "bob" | "float" | "hop" | "drift" | "fall" | "pour" | "still";

/** A part of a scene, from back to front. Lengths are in the units of the scene. */
export interface SceneLayer {
  markup: string;
  /** What it covers; undefined for all of the picture. */
  box?: { x: number; y: number; width: number; height: number };
  /** Undefined for what stands still behind all that moves. */
  motion?: Motion;
  /** How far the next equal one of a falling pattern is. */
  period?: number;
}

/** A scene as it is drawn. */
export interface ComposedScene {
  width: number;
  height: number;
  layers: SceneLayer[];
  palette: Palette;
}

export interface SceneSize {
  /** In pixels. */
  width: number;
  height: number;
  /** The share of the height that a caption takes at the bottom. */
  captionShare: number;
  seed: number;
  /** Leaves out the sky and the ground, for what is drawn over a picture that is given or over nothing. */
  onlyFigures?: boolean;
}

const SHORT_SIDE = 1000;
const CLOUDLESS = new Set(["night"]);

/** Draws a scene in layers; equal scenes, sizes and seeds give equal layers. */
export function composeScene(
  scene: Scene,
  { width, height, captionShare, seed, onlyFigures }: SceneSize,
): ComposedScene {
  const random = seededRandom(seed);
  const size = sceneSize({ width, height });
  const frame: SceneFrame = {
    scene,
    ...size,
    horizon: size.height * ((scene.ground === "room" ? 0.62 : 0.55) + 0.06 * random()),
    floor: size.height * (1 - captionShare),
    palette: paletteOf(scene, random()),
    random,
  };
  const outdoors = !["room", "studio", "space"].includes(scene.ground);
  const layers: SceneLayer[] = [];
  if (!onlyFigures) {
    layers.push({ markup: outdoors ? paintSky(frame) : "" });
    if (outdoors) layers.push(...clouds(frame));
    layers.push({ markup: paintGround(frame) });
  }
  layers.push(...placeFigures(frame).flatMap((placed) => figureLayers(placed, frame, onlyFigures ?? false)));
  if (outdoors || onlyFigures) layers.push(...weather(frame));
  return { ...size, layers, palette: outdoors ? frame.palette : { ...frame.palette, washShare: 0 } };
}

/** The size of a picture in the units of scenes. */
export function sceneSize({ width, height }: { width: number; height: number }): {
  width: number;
  height: number;
} {
  const unit = SHORT_SIDE / Math.min(width, height);
  return { width: width * unit, height: height * unit };
}

/** The markup of layers that lie directly upon each other. */
export function joinLayers(layers: readonly SceneLayer[]): string {
  return layers.map(({ markup }) => markup).join("");
}

function clouds({ scene, width, horizon, palette, random }: SceneFrame): SceneLayer[] {
  const heavy = scene.weather.some((kind) => ["rain", "storm", "cloudy", "snow"].includes(kind));
  const asked = scene.backdrops.includes("clouds");
  if (CLOUDLESS.has(scene.time) && !heavy && !asked) return [];
  const count = Math.round((heavy ? 6 : asked ? 5 : 2) * Math.max(0.7, Math.min(1.6, width / 1400)));
  const dark = scene.weather.includes("storm") ? 0.5 : scene.weather.includes("rain") ? 0.25 : 0;
  const color = mixColors(
    mixColors("#ffffff", palette.horizon, scene.time === "day" ? 0.1 : 0.35),
    "#3f4854",
    dark,
  );
  return Array.from({ length: count }, (_, index) => {
    const size = (heavy ? 95 : 62) * (0.7 + 0.6 * random());
    const x = (width * (index + 0.2 + 0.6 * random())) / count;
    const y = horizon * (0.1 + (heavy ? 0.22 : 0.34) * random());
    return {
      markup: `<g transform="translate(${n(x)} ${n(y)})">${paintCloud(size, color, heavy ? 0.92 : 0.85)}</g>`,
      box: { x: x - 1.3 * size, y: y - 0.8 * size, width: 2.6 * size, height: 1.5 * size },
      motion: "drift" as const,
    };
  });
}

function figureLayers(
  placed: PlacedFigure,
  { scene, palette, floor }: SceneFrame,
  floating: boolean,
): SceneLayer[] {
  const { x, y, width, height, habitat, figure } = placed;
  const center = x + width / 2;
  const foot = y + height;
  const layers: SceneLayer[] = [];
  if (habitat === "ground") {
    const opacity = scene.ground === "studio" || floating ? 0.16 : 0.22;
    layers.push({
      markup: `<ellipse cx="${n(center)}" cy="${n(foot - height * 0.012)}" rx="${n(width * 0.44)}" ry="${n(Math.min(height, width) * 0.055)}" fill="#000" opacity="${opacity}"/>`,
    });
  }
  const moves =
    scene.ground === "room" || scene.ground === "studio"
      ? "hop"
      : habitat === "water"
        ? "bob"
        : habitat === "air"
          ? "float"
          : "hop";
  const reach = height * 0.08;
  const box = { x: x - reach, y: y - reach, width: width + 2 * reach, height: height + 2 * reach };
  if (!figure) {
    layers.push({ markup: paintTile(placed), box, motion: moves });
    return layers;
  }
  const [left, top, right] = figure.box;
  const scale = width / (right - left);
  const markup = `<svg x="${n(x - left * scale)}" y="${n(y - top * scale)}" width="${n(32 * scale)}" height="${n(32 * scale)}" viewBox="0 0 32 32">${paintFigure(figure, placed.color)}</svg>`;
  layers.push({ markup, box, motion: moves });
  if (habitat === "water") {
    // Water before the hull, so that it does not stand on the sea.
    const line = mixColors(palette.horizon, "#ffffff", 0.4);
    layers.push({
      markup: `<g fill="none" stroke="${line}" stroke-width="6" stroke-linecap="round" opacity=".8"><path d="M${n(center - width * 0.5)} ${n(foot)}q${n(width * 0.13)} -9 ${n(width * 0.25)} 0t${n(width * 0.25)} 0t${n(width * 0.25)} 0t${n(width * 0.25)} 0"/><path d="M${n(center - width * 0.3)} ${n(Math.min(floor, foot + 18))}q${n(width * 0.1)} -7 ${n(width * 0.2)} 0t${n(width * 0.2)} 0t${n(width * 0.2)} 0" opacity=".6"/></g>`,
      box: { x: center - width * 0.55, y: foot - 20, width: width * 1.1, height: 50 },
      motion: "still",
    });
  }
  return layers;
}

/** A thing that there is no picture of: a rounded tile of the colour asked for, with its name. */
function paintTile({ subject, color, x, y, width, height }: PlacedFigure): string {
  const fill = color ? PAINT_COLORS[color] : "#4f6d9a";
  const light = ["white", "yellow", "beige", "silver", "gold"].includes(color ?? "");
  const label = layOutLabel(subject.label, width * 0.86, height * 0.3);
  const ink = light ? "#26262b" : "#ffffff";
  return (
    `<rect x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}" rx="${n(height * 0.14)}" fill="${mixColors(fill, "#000000", 0.22)}"/>` +
    `<rect x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height * 0.94)}" rx="${n(height * 0.14)}" fill="${fill}"/>` +
    `<rect x="${n(x + width * 0.05)}" y="${n(y + height * 0.05)}" width="${n(width * 0.9)}" height="${n(height * 0.84)}" rx="${n(height * 0.1)}" fill="none" stroke="${ink}" stroke-width="4" opacity=".35"/>` +
    `<text x="${n(x + width / 2)}" y="${n(y + height * 0.47 + label.size * 0.35)}" text-anchor="middle" font-family="Noto Sans SC" font-size="${n(label.size)}" fill="${ink}">${label.text}</text>`
  );
}

function weather(frame: SceneFrame): SceneLayer[] {
  const { scene, width, height, horizon, palette, random } = frame;
  const layers: SceneLayer[] = [];
  if (scene.weather.includes("fog")) {
    const fog = mixColors(palette.horizon, "#ffffff", 0.35);
    layers.push({
      markup:
        `<defs><linearGradient id="fog" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${fog}" stop-opacity=".15"/><stop offset=".5" stop-color="${fog}" stop-opacity=".62"/><stop offset="1" stop-color="${fog}" stop-opacity=".3"/></linearGradient></defs>` +
        `<rect width="${n(width)}" height="${n(height)}" fill="url(#fog)"/>`,
      motion: "still",
    });
  }
  if (scene.weather.includes("storm")) {
    const x = width * (0.15 + 0.7 * random());
    layers.push({
      markup: `<path fill="#fff3b0" d="M${n(x)} ${n(horizon * 0.18)}l-52 150h40l-34 130 104 -175h-44l42 -105z"/>`,
    });
  }
  const falling = scene.weather.includes("snow")
    ? "snow"
    : scene.weather.includes("rain") || scene.weather.includes("storm")
      ? "rain"
      : undefined;
  if (falling) layers.push(precipitation(falling, frame));
  return layers;
}

/** A pattern that repeats after `period`, so that it can fall without end. */
function precipitation(kind: "snow" | "rain", { width, height, random }: SceneFrame): SceneLayer {
  const period = height / 2;
  const count = Math.round(((kind === "snow" ? 70 : 110) * width * period) / 1e6);
  let drops = "";
  for (let index = 0; index < count; index++) {
    const x = random() * width;
    const y = random() * period;
    const size = random();
    for (let copy = -1; copy < 3; copy++) {
      const top = y + copy * period;
      drops +=
        kind === "snow"
          ? `<circle cx="${n(x)}" cy="${n(top)}" r="${n(3 + 5 * size)}"/>`
          : `<path d="M${n(x)} ${n(top)}l-9 ${n(30 + 22 * size)}"/>`;
    }
  }
  const markup =
    kind === "snow"
      ? `<g fill="#fff" opacity=".9">${drops}</g>`
      : `<g stroke="#dbe8f5" stroke-width="3" stroke-linecap="round" opacity=".55">${drops}</g>`;
  return { markup, motion: kind === "snow" ? "fall" : "pour", period };
}
