/** An encoded picture. */
export interface RenderedImage {
  bytes: Uint8Array;
  mediaType: "image/png" | "image/jpeg" | "image/webp";
  /** Size in pixels. */
  width: number;
  height: number;
}
