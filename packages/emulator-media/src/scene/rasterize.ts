import { Resvg } from "@resvg/resvg-js";
import { assetPath } from "../assets/asset-folder.js";

/** Red, green, blue and alpha of each pixel; colours are multiplied by their alpha. */
export interface PremultipliedPicture {
  width: number;
  height: number;
  data: Uint8Array;
}

/**
 * Draws markup into a picture of `width` × `height` pixels.
 *
 * @param view what of the markup's plane the picture shows
 */
export function rasterize(
  markup: string,
  { width, height }: { width: number; height: number },
  view: { x?: number; y?: number; width: number; height: number },
): PremultipliedPicture {
  const { x = 0, y = 0 } = view;
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" preserveAspectRatio="none" ` +
    `viewBox="${x} ${y} ${view.width} ${view.height}">${markup}</svg>`;
  const drawn = new Resvg(svg, {
    // Fonts of the machine would make its pictures differ from those of others. Only a path is taken.
    font: {
      loadSystemFonts: false,
      fontFiles: markup.includes("<text") ? [assetPath("noto-sans-sc.ttf")] : [],
      defaultFontFamily: "Noto Sans SC",
    },
  }).render();
  return { width: drawn.width, height: drawn.height, data: new Uint8Array(drawn.pixels) };
}
