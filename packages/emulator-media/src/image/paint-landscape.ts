import { seededRandom } from "../random/seeded-random.js";
import type { Canvas } from "./canvas.js";
import { type RgbColor, rgbFromHsl } from "./rgb-color.js";

const HILLS = 4;
const WAVES_PER_HILL = 3;

/**
 * Paints a sky, a sun and rows of hills over the whole canvas, chosen by the seed. The composition is made for the
 * part above `bottom`, where the caption begins.
 */
export function paintLandscape(canvas: Canvas, bottom: number, seed: number): void {
  const random = seededRandom(seed);
  const hue = random() * 360;
  const horizonHue = hue + 40 + random() * 80;
  const hillHue = hue + 150 + random() * 90;

  paintSky(canvas, bottom, rgbFromHsl(hue, 0.65, 0.42), rgbFromHsl(horizonHue, 0.75, 0.72));
  const radius = Math.max(2, Math.min(canvas.width, bottom) * (0.1 + random() * 0.07));
  const sunX = canvas.width * (0.2 + random() * 0.6);
  const sunY = bottom * (0.22 + random() * 0.22);
  paintSun(canvas, sunX, sunY, radius, rgbFromHsl(horizonHue + 20, 0.9, 0.88));

  for (let hill = 0; hill < HILLS; hill++) {
    const nearness = hill / (HILLS - 1);
    const color = rgbFromHsl(hillHue, 0.3 + 0.25 * nearness, 0.52 - 0.34 * nearness);
    const ridge = bottom * (0.5 + 0.42 * nearness);
    paintHill(canvas, hillTops(canvas.width, ridge, bottom * 0.12, random), color);
  }
}

function paintSky(canvas: Canvas, bottom: number, zenith: RgbColor, horizon: RgbColor): void {
  const blend = (from: number, to: number, share: number) => from + (to - from) * share;
  for (let y = 0; y < canvas.height; y++) {
    const share = Math.min(1, y / Math.max(1, bottom * 0.75));
    canvas.fill(0, y, canvas.width, 1, {
      red: blend(zenith.red, horizon.red, share),
      green: blend(zenith.green, horizon.green, share),
      blue: blend(zenith.blue, horizon.blue, share),
    });
  }
}

function paintSun(canvas: Canvas, centerX: number, centerY: number, radius: number, color: RgbColor): void {
  const glow = radius * 2.2;
  for (let y = Math.max(0, Math.floor(centerY - glow)); y < Math.min(canvas.height, centerY + glow); y++) {
    for (let x = Math.max(0, Math.floor(centerX - glow)); x < Math.min(canvas.width, centerX + glow); x++) {
      const distance = Math.hypot(x + 0.5 - centerX, y + 0.5 - centerY);
      const disc = Math.min(1, Math.max(0, radius - distance + 0.5));
      const halo = 0.35 * Math.max(0, 1 - distance / glow) ** 2;
      canvas.mix(x, y, color, Math.max(disc, halo));
    }
  }
}

/** The row where a hill begins, for every column. */
function hillTops(width: number, ridge: number, amplitude: number, random: () => number): Float32Array {
  const waves = Array.from({ length: WAVES_PER_HILL }, (_, index) => ({
    turns: (index + 1) * (0.6 + random() * 0.9),
    phase: random() * 2 * Math.PI,
    height: (amplitude * (0.5 + random() * 0.5)) / (index + 1),
  }));
  return Float32Array.from({ length: width }, (_, x) =>
    waves.reduce(
      (top, { turns, phase, height }) => top - height * Math.sin((2 * Math.PI * turns * x) / width + phase),
      ridge,
    ),
  );
}

function paintHill(canvas: Canvas, tops: Float32Array, color: RgbColor): void {
  const highest = tops.reduce((least, top) => Math.min(least, top), canvas.height);
  const lowest = tops.reduce((most, top) => Math.max(most, top), 0);
  const solid = Math.min(canvas.height, Math.ceil(lowest) + 1);
  for (let y = Math.max(0, Math.floor(highest)); y < solid; y++) {
    for (let x = 0; x < canvas.width; x++) {
      const cover = y + 1 - tops[x]!;
      if (cover > 0) canvas.mix(x, y, color, Math.min(1, cover));
    }
  }
  canvas.fill(0, solid, canvas.width, canvas.height - solid, color);
}
