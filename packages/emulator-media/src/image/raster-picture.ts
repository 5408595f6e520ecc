/** A decoded picture: rows from top to bottom, one byte per channel (red, green, blue and, with four, alpha). */
export interface RasterPicture {
  width: number;
  height: number;
  channels: 3 | 4;
  data: Uint8Array;
}
