import type { ImageModelV4 } from "@ai-sdk/provider";
import type { ConnectionSettings } from "./connection.js";
import { configOf } from "./model-gateway-config.js";
import { ModelGatewayImageModel, type ModelGatewayImageModelSettings } from "./model-gateway-image-model.js";

/**
 * Makes the image models of a gateway and nothing else, for bundles that are to be small: `createModelGateway` holds every kind.
 * Nothing is checked or sent before the first call of a model.
 *
 * @example
 * const imageModel = createImageModels({ apiKey, baseURL: "https://gateway.example/v1" });
 */
export function createImageModels(
  settings: ConnectionSettings = {},
): (modelId: string, settings?: ModelGatewayImageModelSettings) => ImageModelV4 {
  const config = configOf("image", settings);
  return (modelId, settings = {}) => new ModelGatewayImageModel(modelId, settings, config);
}
