import type { ImageRecipe } from "./file-recipe.js";
import type { MediaFiles } from "./media-files.js";
import type { RenderedImage } from "./media-renderer.js";
import type { MediaRendererLease } from "./media-renderer-lease.js";
import { readInputImages } from "./read-input-image.js";
import { renderImage } from "./render-image.js";

/** The picture of a recipe. @throws APIError as `renderImage` */
export async function renderImageRecipe(
  services: { files: MediaFiles; media: MediaRendererLease },
  { request, inputs }: ImageRecipe,
): Promise<RenderedImage> {
  return renderImage(services, { ...request, inputs: await readInputImages(services, inputs) });
}
