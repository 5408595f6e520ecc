export * from "./common.js";
export { createModels } from "./models/create-models.js";
export type { Model, Models } from "./models/models.js";
