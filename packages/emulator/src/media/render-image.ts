import type { ImageFormat, RenderedImage, RenderImageRequest } from "./media-renderer.js";
import type { MediaRendererLease } from "./media-renderer-lease.js";
import { plainPicture } from "./plain-picture.js";
import { usableImages } from "./usable-images.js";

/**
 * The format that an image will have.
 *
 * @param wanted the format asked for; the model's `usual` one counts when it was not, or PNG without the media package
 * @throws APIError 501 when a format was asked for that needs the media package
 */
export async function settleImageFormat(
  { media }: { media: MediaRendererLease },
  wanted: ImageFormat | undefined,
  usual: ImageFormat,
): Promise<ImageFormat> {
  if ((wanted ?? usual) === "png" || (await media.find("renderImage"))) return wanted ?? usual;
  if (wanted === undefined) return "png";
  await media.require("renderImage", `output_format "${wanted}"`);
  return wanted;
}

/** Renders an image; a plain PNG without the media package. @throws APIError 501 for other formats without it */
export async function renderImage(
  services: { media: MediaRendererLease },
  request: RenderImageRequest,
): Promise<RenderedImage> {
  if (request.format === "png" && !(await services.media.find("renderImage"))) return plainPicture(request);
  const render = await services.media.require("renderImage", `An image of the format ${request.format}`);
  return render({ ...request, inputs: await usableImages(services, request.inputs ?? []) });
}
