/** Red, green and blue from 0 to 255. */
export type Channels = readonly [red: number, green: number, blue: number];

/** Reads `#rgb` or `#rrggbb`. */
export function channelsOf(hex: string): Channels {
  const full = hex.length === 4 ? hex.replace(/[0-9a-f]/gi, "$&$&") : hex;
  const at = (index: number) => Number.parseInt(full.slice(index, index + 2), 16);
  return [at(1), at(3), at(5)];
}

/** Writes `#rrggbb`. */
export function hexOf(channels: Channels): string {
  return `#${channels.map((value) => clamp(value).toString(16).padStart(2, "0")).join("")}`;
}

/** One colour on the way to another: the first at share 0, the second at 1. */
export function mixColors(from: string, to: string, share: number): string {
  const [a, b] = [channelsOf(from), channelsOf(to)];
  return hexOf([a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share, a[2] + (b[2] - a[2]) * share]);
}

/** How light a colour looks, from 0 to 1. */
export function lightnessOf(hex: string): number {
  const [red, green, blue] = channelsOf(hex);
  return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
}

function clamp(value: number): number {
  return Math.min(255, Math.max(0, Math.round(value)));
}
