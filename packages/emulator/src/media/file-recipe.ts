import type { Field } from "../checks/field.js";
import { collectMembers, type Readers, readStrings } from "../checks/read-members.js";
import type { RenderImageRequest } from "./media-renderer.js";

/** What a picture is made of. Its inputs are as a client sent them: data URLs, Base64, or links to files of the emulator. */
export interface ImageRecipe {
  kind: "image";
  request: Omit<RenderImageRequest, "inputs">;
  inputs: readonly string[];
}

/** A file of a video task, which holds what it is made of. */
export interface TaskFileRecipe {
  kind: "task";
  task: string;
  name: string;
}

/** How a file is made, again and again to the same bytes. */
export type FileRecipe = ImageRecipe | TaskFileRecipe;

/** No model of the emulator draws larger ones. */
const LONGEST_SIDE = 16_384;
const MOST_PIXELS = 4_096 * 4_096;

const REQUEST: Readers<ImageRecipe["request"]> = {
  width: (field) => field.integer({ min: 1, max: LONGEST_SIDE }),
  height: (field) => field.integer({ min: 1, max: LONGEST_SIDE }),
  prompt: (field) => field.string(),
  seed: (field) => field.number(),
  format: (field) => field.oneOf(["png", "jpeg", "webp"]),
  background: (field) => field.oneOf(["transparent", "opaque"]),
  quality: (field) => field.number({ min: 1, max: 100 }),
  details: readStrings,
};
const IMAGE: Readers<ImageRecipe> = {
  kind: (field) => field.oneOf(["image"]),
  request: (field) => {
    const vital = ["width", "height", "prompt", "seed", "format"] as const;
    const request = collectMembers(field, REQUEST, { vital, complete: true });
    const { width = 1, height = 1 } = request;
    if (width * height > MOST_PIXELS) field.refuse(`must have at most ${MOST_PIXELS} pixels`);
    return request as ImageRecipe["request"];
  },
  inputs: readStrings,
};
const TASK: Readers<TaskFileRecipe> = {
  kind: (field) => field.oneOf(["task"]),
  task: (field) => field.nonEmptyString(),
  name: (field) => field.nonEmptyString(),
};

/** Reads a recipe as it was saved. Problems are noted at the field. */
export function readFileRecipe(field: Field): FileRecipe | undefined {
  const known = field.noted.length;
  const recipe =
    field.get("kind").oneOf(["image", "task"]) === "image"
      ? collectMembers(field, IMAGE, { vital: ["kind", "request", "inputs"], complete: true })
      : collectMembers(field, TASK, { vital: ["kind", "task", "name"], complete: true });
  return field.noted.length > known ? undefined : (recipe as FileRecipe);
}
