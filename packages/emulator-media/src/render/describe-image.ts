import { copyEncodedImage } from "../image/copy-encoded-image.js";
import type { ImageDescription } from "../image/image-description.js";
import { sharedMediaWorker } from "../worker/shared-media-worker.js";

/**
 * Measures an encoded picture (JPEG, PNG, WebP, GIF, AVIF, TIFF or SVG; of animations the first frame) on a worker
 * thread.
 *
 * @throws RangeError for bytes that are no image that can be decoded; TypeError for anything but a `Uint8Array`.
 * @throws Error when {@link closeMedia} is called before it is done.
 */
export async function describeImage(bytes: Uint8Array): Promise<ImageDescription> {
  return sharedMediaWorker.run("image description", { bytes: copyEncodedImage("bytes", bytes) });
}
