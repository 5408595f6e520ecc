import type { RgbColor } from "../scene/rgb-color.js";

/** The plain English names that {@link nameColor} gives. */
export type ColorName =
  | "black"
  | "white"
  | "grey"
  | "red"
  | "orange"
  | "brown"
  | "yellow"
  | "green"
  | "teal"
  | "blue"
  | "purple"
  | "pink";

// The hue in degrees at which each name ends.
const HUES: ReadonlyArray<readonly [end: number, name: ColorName]> = [
  [15, "red"],
  [43, "orange"],
  [68, "yellow"],
  [160, "green"],
  [195, "teal"],
  [255, "blue"],
  [290, "purple"],
  [340, "pink"],
  [360, "red"],
];

/** The everyday name of a colour. */
export function nameColor({ red, green, blue }: RgbColor): ColorName {
  const strongest = Math.max(red, green, blue);
  const weakest = Math.min(red, green, blue);
  const spread = strongest - weakest;
  const lightness = (strongest + weakest) / 510;
  if (strongest < 35) return "black";
  // A tint shows less the lighter or darker it is, so near both ends a small spread still reads as no colour.
  if (spread < 28 || spread / strongest < 0.14) return greyOf(lightness);
  const hue = hueOf(red, green, blue, strongest, spread);
  const name = HUES.find(([end]) => hue < end)?.[1] ?? "red";
  if ((name === "orange" || name === "yellow") && lightness < 0.36)
    return name === "orange" ? "brown" : "green";
  if (name === "red" && lightness > 0.68) return "pink";
  if (name === "pink" && lightness < 0.3) return "purple";
  return name;
}

function greyOf(lightness: number): ColorName {
  if (lightness < 0.16) return "black";
  return lightness > 0.86 ? "white" : "grey";
}

function hueOf(red: number, green: number, blue: number, strongest: number, spread: number): number {
  if (strongest === red) return (60 * ((green - blue) / spread) + 360) % 360;
  return strongest === green ? 60 * ((blue - red) / spread + 2) : 60 * ((red - green) / spread + 4);
}
