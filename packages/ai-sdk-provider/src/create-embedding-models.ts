import type { EmbeddingModelV4 } from "@ai-sdk/provider";
import type { ConnectionSettings } from "./connection.js";
import { configOf } from "./model-gateway-config.js";
import { ModelGatewayEmbeddingModel } from "./model-gateway-embedding-model.js";
import type { ModelGatewayEmbeddingModelSettings } from "./model-gateway-embedding-model-options.js";

/**
 * Makes the embedding models of a gateway and nothing else, for bundles that are to be small: `createModelGateway` holds every kind.
 * Nothing is checked or sent before the first call of a model.
 *
 * @example
 * const embeddingModel = createEmbeddingModels({ apiKey, baseURL: "https://gateway.example/v1" });
 */
export function createEmbeddingModels(
  settings: ConnectionSettings = {},
): (modelId: string, settings?: ModelGatewayEmbeddingModelSettings) => EmbeddingModelV4 {
  const config = configOf("embedding", settings);
  return (modelId, settings = {}) => new ModelGatewayEmbeddingModel(modelId, settings, config);
}
