import { type Figure, findFigure } from "./figures.js";
import type { PaintColor } from "./paint-color.js";
import type { Subject } from "./scene.js";
import type { SceneFrame } from "./scene-frame.js";

/** One thing in its place. */
export interface PlacedFigure {
  subject: Subject;
  /** Undefined for a labelled tile. */
  figure: Figure | undefined;
  color: PaintColor | undefined;
  habitat: "air" | "water" | "ground";
  /** Its drawn part, in the units of the scene. */
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Zone {
  left: number;
  right: number;
}

/** Heights in a picture. */
interface Band {
  top: number;
  /** Where the foremost stand. */
  bottom: number;
  /** How far behind them the last may stand. */
  depth: number;
}

/** The largest that one thing is, of a short side of 1000. */
const LARGEST = 500;
const ROOM_BETWEEN = 0.86;

/** Finds a place for everything that a scene asks for, far things first. */
export function placeFigures(frame: SceneFrame): PlacedFigure[] {
  const { scene, width } = frame;
  const margin = width * 0.05;
  const whole = { left: margin, right: width - margin };
  const middle = width / 2;
  const sides = new Set(
    scene.subjects.map(({ side }) => side).filter((side) => side === "left" || side === "right"),
  );
  const rest: Zone =
    !sides.has("left") && sides.has("right")
      ? { left: margin, right: middle }
      : sides.has("left") && !sides.has("right")
        ? { left: middle, right: whole.right }
        : whole;
  const zones = new Map<Zone, PlacedFigure[]>();
  for (const subject of scene.subjects) {
    const zone =
      subject.side === "left"
        ? { left: margin, right: middle - width * 0.02 }
        : subject.side === "right"
          ? { left: middle + width * 0.02, right: whole.right }
          : rest;
    const key =
      [...zones.keys()].find(({ left, right }) => left === zone.left && right === zone.right) ?? zone;
    zones.set(key, [...(zones.get(key) ?? []), ...unplaced(subject, frame)]);
  }
  const placed: PlacedFigure[] = [];
  for (const [zone, figures] of zones) {
    for (const habitat of ["air", "water", "ground"] as const) {
      const together = figures.filter((figure) => figure.habitat === habitat);
      if (together.length > 0)
        placed.push(...arrange(together, zone, frame, figures.length === together.length));
    }
  }
  return placed.sort((a, b) => a.y + a.height - (b.y + b.height));
}

function unplaced(subject: Subject, { scene }: SceneFrame): PlacedFigure[] {
  const figure = subject.figure === undefined ? undefined : findFigure(subject.figure);
  const flat = scene.ground === "studio" || scene.ground === "room";
  const habitat = scene.ground === "space" ? "air" : flat ? "ground" : (figure?.habitat ?? "ground");
  const inWater =
    habitat === "water" && !["sea", "lake", "beach"].includes(scene.ground) ? "ground" : habitat;
  return Array.from({ length: subject.count }, (_, index) => ({
    subject,
    figure,
    color: subject.colors[Math.floor((index * subject.colors.length) / subject.count)],
    habitat: subject.side === "top" && !flat ? "air" : inWater,
    x: 0,
    y: 0,
    width: 0,
    height: 0,
  }));
}

/** Puts things of one habitat into rows, each in a cell of its own. */
function arrange(figures: PlacedFigure[], zone: Zone, frame: SceneFrame, alone: boolean): PlacedFigure[] {
  const { width, height, floor, scene, random } = frame;
  const span = zone.right - zone.left;
  const band = bandOf(figures[0]?.habitat ?? "ground", frame, alone);
  const rows = rowsFor(figures.length, span, band);
  const perRow = Math.ceil(figures.length / rows);
  const cell = span / perRow;
  const short = Math.min(width, height);
  const base = Math.min(LARGEST, cell * ROOM_BETWEEN, tallest(rows, band));
  return figures.map((placed, index) => {
    const row = Math.floor(index / perRow);
    const inRow = Math.min(perRow, figures.length - row * perRow);
    const column = index - row * perRow;
    const [left, top, right, bottom] = placed.figure?.box ?? [2, 6, 30, 26];
    const nearness = rows === 1 ? 1 : 0.82 + (0.18 * row) / (rows - 1);
    const scale =
      (base * nearness * Math.min(1, placed.subject.size === 1 ? 0.92 : placed.subject.size)) /
      Math.max(right - left, bottom - top);
    const size = { width: (right - left) * scale, height: (bottom - top) * scale };
    // The last row may be shorter, and every other one is moved, so that nobody hides behind another.
    const start = zone.left + (span - cell * inRow) / 2;
    const jitter =
      (random() - 0.5) *
      Math.max(0, cell - size.width) *
      (figures.length === 1 && !placed.subject.side ? 0.35 : 0.3);
    const center = start + cell * (column + 0.5) + (placed.subject.side === "center" ? 0 : jitter);
    const step = rows === 1 ? 0 : Math.min(band.depth, band.bottom - band.top - base) / (rows - 1);
    const stagger =
      (random() - 0.5) *
      (placed.habitat === "air"
        ? Math.max(0, band.bottom - band.top - size.height) * (rows === 1 ? 0.6 : 0.15)
        : short * 0.03);
    const line =
      placed.habitat === "air"
        ? (rows === 1 ? (band.top + band.bottom) / 2 + size.height / 2 : band.top + base + step * row) +
          stagger
        : band.bottom - (rows - 1 - row) * step + stagger;
    const lowest = scene.ground === "studio" && figures.length === 1 ? floor * 0.52 + size.height / 2 : line;
    return {
      ...placed,
      ...size,
      x: center - size.width / 2,
      y: Math.min(lowest, floor - short * 0.012) - size.height,
    };
  });
}

/** The heights between which things of a habitat are: for what stands, where its feet are at most. */
function bandOf(habitat: PlacedFigure["habitat"], frame: SceneFrame, alone: boolean): Band {
  const { height, horizon, floor, scene } = frame;
  const ground = height - horizon;
  if (habitat === "air") {
    if (scene.ground === "space") return { top: height * 0.06, bottom: floor - height * 0.03, depth: height };
    return {
      top: height * 0.05,
      bottom: alone ? Math.min(horizon + ground * 0.15, floor) : horizon * 0.82,
      depth: height,
    };
  }
  const foot =
    scene.ground === "beach" && habitat === "water"
      ? horizon + ground * 0.3
      : horizon + ground * (scene.ground === "room" ? 0.55 : 0.68);
  const bottom = Math.min(foot, floor - height * 0.02);
  // The last row stands where the ground begins, not in the sky.
  return {
    top: Math.max(height * 0.08, bottom - height * 0.62),
    bottom,
    depth: Math.max(1, bottom - horizon - ground * 0.1),
  };
}

function rowsFor(count: number, width: number, band: Band): number {
  if (count <= 1) return 1;
  const sizes = [1, 2, 3, 4].map((rows) =>
    Math.min((width / Math.ceil(count / rows)) * ROOM_BETWEEN, tallest(rows, band), LARGEST),
  );
  // Another row is only worth it where things get clearly larger, and few look better side by side.
  const gain = count <= 3 ? 1.9 : 1.18;
  let best = 0;
  for (const [index, size] of sizes.entries()) if (size > (sizes[best] ?? 0) * gain) best = index;
  return best + 1;
}

/** How tall things in so many rows may be for most of each row to be seen. */
function tallest(rows: number, { top, bottom, depth }: Band): number {
  const room = bottom - top;
  return rows === 1 ? room : Math.min(room / (1 + (rows - 1) * 0.6), depth / (rows - 1) / 0.55);
}
