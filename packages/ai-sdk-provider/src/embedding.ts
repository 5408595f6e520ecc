export type { ConnectionSettings } from "./connection.js";
export { createEmbeddingModels } from "./create-embedding-models.js";
export type { ModelGatewayEmbeddingModelOptions } from "./model-gateway-embedding-model-options.js";
