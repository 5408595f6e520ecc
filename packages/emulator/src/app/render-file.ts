import type { Services } from "../api/services.js";
import type { FileRecipe } from "../media/file-recipe.js";
import type { MediaFile } from "../media/media-files.js";
import { renderImageRecipe } from "../media/render-image-recipe.js";
import { renderTaskFile } from "../videos/render-task-file.js";

/** Makes a result file of its recipe. @throws APIError when what it is made of is gone, or the media package is missing */
export function renderFile(services: Services, recipe: FileRecipe): Promise<MediaFile> {
  return recipe.kind === "image" ? renderImageRecipe(services, recipe) : renderTaskFile(services, recipe);
}
