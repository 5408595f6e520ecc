export type { ConnectionSettings } from "./connection.js";
export { createEmbeddingModels } from "./create-embedding-models.js";
export type {
  ModelGatewayEmbeddingModelOptions,
  ModelGatewayEmbeddingModelSettings,
} from "./model-gateway-embedding-model-options.js";
