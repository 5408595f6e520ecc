import { encodePng } from "../media/encode-png.js";

/** A PNG in one colour, given as red, green and blue. */
export function smallPng(
  width = 32,
  height = 32,
  colour: readonly number[] = [200, 30, 30],
): Uint8Array<ArrayBuffer> {
  const row = Uint8Array.from({ length: width * 4 }, (_, at) => colour[at % 4] ?? 255);
  const bytes = encodePng(width, height, () => row);
  return new Uint8Array(bytes);
}

export function dataURL(bytes: Uint8Array): string {
  return `data:image/png;base64,${Buffer.from(bytes).toString("base64")}`;
}
