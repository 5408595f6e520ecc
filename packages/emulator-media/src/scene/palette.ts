import { hexOf, mixColors } from "./hex-color.js";
import { rgbFromHsl } from "./rgb-color.js";
import type { Scene, TimeOfDay } from "./scene.js";

/** The colours of a scene's light. */
export interface Palette {
  /** The sky from above to the horizon, and what shines in it. */
  zenith: string;
  horizon: string;
  light: string;
  /** Lies over everything, so that all of it belongs together. */
  wash: string;
  washShare: number;
}

const PALETTES: Record<TimeOfDay, Palette> = {
  day: { zenith: "#5aa9e8", horizon: "#d6eefb", light: "#fff3c4", wash: "#ffffff", washShare: 0 },
  dawn: { zenith: "#8fb4e3", horizon: "#ffd9b8", light: "#fff0c9", wash: "#ffc9a0", washShare: 0.1 },
  dusk: { zenith: "#5a4a8f", horizon: "#ff9d5c", light: "#ffe2a0", wash: "#ff7a4d", washShare: 0.13 },
  night: { zenith: "#0c1334", horizon: "#34437f", light: "#fdf6d8", wash: "#141d52", washShare: 0.32 },
};

const OVERCAST = "#aab4bf";
const OVERCAST_NIGHT = "#2a3148";

/** The light of a scene, varied a little by a number from 0 to 1. */
export function paletteOf({ time, weather }: Scene, variation: number): Palette {
  const base = PALETTES[time];
  const tint = rgbFromHsl(360 * variation, 0.7, 0.6);
  const seeded = hexOf([tint.red, tint.green, tint.blue]);
  const wet = weather.some((kind) => kind !== "wind");
  const grey = time === "night" ? OVERCAST_NIGHT : OVERCAST;
  const cover = (color: string) => mixColors(mixColors(color, seeded, 0.06), grey, wet ? 0.62 : 0);
  return { ...base, zenith: cover(base.zenith), horizon: cover(base.horizon) };
}
