import type { Palette } from "./palette.js";
import type { Scene } from "./scene.js";

/** What the painters of a scene share. Lengths are in units of which the short side of a picture has 1000. */
export interface SceneFrame {
  scene: Scene;
  width: number;
  height: number;
  /** Where the ground begins. */
  horizon: number;
  /** Where the caption begins: what matters stands above. */
  floor: number;
  palette: Palette;
  random: () => number;
}
