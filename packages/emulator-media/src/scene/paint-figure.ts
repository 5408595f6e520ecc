import type { Figure } from "./figures.js";
import { lightnessOf, mixColors } from "./hex-color.js";
import { PAINT_COLORS, type PaintColor } from "./paint-color.js";

/** The markup of a figure with its main colour replaced; shades of it stay lighter and darker than each other. */
export function paintFigure({ body, paint }: Figure, color: PaintColor | undefined): string {
  const [main] = paint;
  if (!color || !main) return body;
  const wanted = PAINT_COLORS[color];
  const mainLight = lightnessOf(main);
  const shades = new Map(
    paint.map((fill) => {
      const step = Math.max(-0.35, Math.min(0.35, (lightnessOf(fill) - mainLight) * 0.8));
      return [fill, step < 0 ? mixColors(wanted, "#000000", -step) : mixColors(wanted, "#ffffff", step)];
    }),
  );
  return body.replace(/(fill|stroke)="(#[0-9a-f]{3,6})"/g, (whole, name: string, fill: string) => {
    const shade = shades.get(fill);
    return shade ? `${name}="${shade}"` : whole;
  });
}
