import { copyEncodedImage } from "../image/copy-encoded-image.js";
import { assertImageRequest, type ImageRequest } from "../image/image-request.js";
import type { RenderedImage } from "../image/rendered-image.js";
import { sharedMediaWorker } from "../worker/shared-media-worker.js";
import { requestKey } from "./request-key.js";
import { ResultCache } from "./result-cache.js";

/** The latest images, up to 64 MiB of them. */
export const renderedImages = new ResultCache<RenderedImage>({
  maxBytes: 64 * 1024 * 1024,
  sizeOf: ({ bytes }) => bytes.length,
});

/**
 * Renders the scene that a prompt describes, on a worker thread. Equal requests
 * give equal bytes; each call gets its own copy of them.
 *
 * @throws RangeError for a value outside the limits of {@link ImageRequest}, for `background: "transparent"` with
 * JPEG, and for an input that is no image; TypeError for values of another type.
 * @throws Error when the encoder fails or {@link closeMedia} is called before the image is done.
 */
export async function renderImage(request: ImageRequest): Promise<RenderedImage> {
  assertImageRequest(request);
  const { width, height, prompt, seed, format, background = "opaque", quality, details = [] } = request;
  const inputs = (request.inputs ?? []).map((bytes, index) => copyEncodedImage(`inputs[${index}]`, bytes));
  const input: ImageRequest = { width, height, prompt, seed, format, background, quality, details, inputs };
  const image = await renderedImages.get(requestKey(input), () => sharedMediaWorker.run("image", input));
  return { ...image, bytes: image.bytes.slice() };
}
