import type { Experimental_VideoModelV4 as VideoModelV4 } from "@ai-sdk/provider";
import type { ConnectionSettings } from "./connection.js";
import { configOf } from "./model-gateway-config.js";
import { ModelGatewayVideoModel, type ModelGatewayVideoModelSettings } from "./model-gateway-video-model.js";

/**
 * Makes the video models of a gateway and nothing else, for bundles that are to be small: `createModelGateway` holds every kind.
 * Nothing is checked or sent before the first call of a model.
 *
 * @example
 * const videoModel = createVideoModels({ apiKey, baseURL: "https://gateway.example/v1" });
 */
export function createVideoModels(
  settings: ConnectionSettings = {},
): (modelId: string, settings?: ModelGatewayVideoModelSettings) => VideoModelV4 {
  const config = configOf("video", settings);
  return (modelId, settings = {}) => new ModelGatewayVideoModel(modelId, settings, config);
}
