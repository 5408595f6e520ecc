export type { ConnectionSettings } from "./connection.js";
export { createImageModels } from "./create-image-models.js";
export type { ModelGatewayImageModelSettings, PartialImage } from "./model-gateway-image-model.js";
export type { ModelGatewayImageModelOptions } from "./model-gateway-image-model-options.js";
