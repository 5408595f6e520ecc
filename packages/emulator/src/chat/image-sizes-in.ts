/** The sizes of the images in a description of what came with a message, in pixels, in order. */
export function imageSizesIn(seenImages: string | undefined): { width: number; height: number }[] {
  const sizes = (seenImages ?? "").matchAll(/(\d{1,6})x(\d{1,6}) pixels/g);
  return [...sizes].map(([, width, height]) => ({ width: Number(width), height: Number(height) }));
}
