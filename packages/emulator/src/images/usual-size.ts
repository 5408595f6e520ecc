import type { PixelSize } from "./image-size.js";

const CLEARLY_LONGER = 1.2;

/** The usual size whose shape is nearest to a picture's; square without one. */
export function usualSizeLike(picture: PixelSize | undefined): PixelSize {
  const ratio = picture && picture.width > 0 && picture.height > 0 ? picture.width / picture.height : 1;
  if (ratio > CLEARLY_LONGER) return { width: 1_536, height: 1_024 };
  return ratio < 1 / CLEARLY_LONGER ? { width: 1_024, height: 1_536 } : { width: 1_024, height: 1_024 };
}
