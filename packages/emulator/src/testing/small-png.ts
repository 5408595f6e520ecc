import { encodePng } from "../media/encode-png.js";

/** A PNG in one colour, given as red, green and blue. */
export function smallPng(
  width = 32,
  height = 32,
  colour: readonly number[] = [200, 30, 30],
): Uint8Array<ArrayBuffer> {
  const bytes = encodePng(width, height, (_x, _y, pixel, offset) => {
    pixel.set([...colour, 255], offset);
  });
  return new Uint8Array(bytes);
}

export function dataURL(bytes: Uint8Array): string {
  return `data:image/png;base64,${Buffer.from(bytes).toString("base64")}`;
}
