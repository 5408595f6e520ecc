/** A colour with channels from 0 to 255. */
export interface RgbColor {
  red: number;
  green: number;
  blue: number;
}

/** Converts hue (degrees, any turn), saturation and lightness (0–1) to a colour. */
export function rgbFromHsl(hue: number, saturation: number, lightness: number): RgbColor {
  const chroma = saturation * Math.min(lightness, 1 - lightness);
  const channel = (offset: number) => {
    const sector = (offset + hue / 30) % 12;
    return 255 * (lightness - chroma * Math.max(-1, Math.min(sector - 3, 9 - sector, 1)));
  };
  return { red: channel(0), green: channel(8), blue: channel(4) };
}
