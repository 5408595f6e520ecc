export type { ConnectionSettings } from "./connection.js";
export { createVideoModels } from "./create-video-models.js";
export type { ModelGatewayVideoModelSettings } from "./model-gateway-video-model.js";
export type { ModelGatewayVideoModelOptions } from "./model-gateway-video-model-options.js";
