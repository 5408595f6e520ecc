/** Pixels of an image. */
export interface PixelSize {
  width: number;
  height: number;
}

/** `2048x1152` as numbers; undefined for anything else. */
export function parsePixelSize(text: string): PixelSize | undefined {
  const match = /^(\d{1,5})x(\d{1,5})$/.exec(text);
  return match ? { width: Number(match[1]), height: Number(match[2]) } : undefined;
}

export function formatPixelSize({ width, height }: PixelSize): string {
  return `${width}x${height}`;
}
