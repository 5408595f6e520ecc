import type { PaintColor } from "./paint-color.js";

export type TimeOfDay = "day" | "dawn" | "dusk" | "night";
export type Weather = "rain" | "snow" | "fog" | "cloudy" | "storm" | "wind";
export type Ground =
  | "meadow"
  | "sea"
  | "beach"
  | "lake"
  | "snow"
  | "desert"
  | "city"
  | "forest"
  | "room"
  | "studio"
  | "space";
export type Backdrop =
  | "mountains"
  | "forest"
  | "city"
  | "rainbow"
  | "sun"
  | "moon"
  | "stars"
  | "clouds"
  | "flowers";
export type Side = "left" | "right" | "center" | "top" | "bottom";

/** Something that a prompt asks for. */
export interface Subject {
  /** The name of its figure; undefined for a thing that there is no picture of, which becomes a labelled tile. */
  figure?: string;
  /** What the prompt calls it. */
  label: string;
  /** How many, from 1 to 24. */
  count: number;
  /** Colours asked for: each of several goes to its share of the count. */
  colors: PaintColor[];
  side?: Side;
  /** 0.6 for what is said to be small, 1.4 for what is large. */
  size: number;
}

/** What a picture shows, as far as a prompt says it; the seed decides the rest. */
export interface Scene {
  time: TimeOfDay;
  weather: Weather[];
  ground: Ground;
  backdrops: Backdrop[];
  autumn: boolean;
  /** The colour of the background, where the prompt names one. */
  background?: PaintColor;
  subjects: Subject[];
}
