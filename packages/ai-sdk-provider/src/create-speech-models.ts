import type { Experimental_StreamingSpeechModelV4 as StreamingSpeechModelV4 } from "@ai-sdk/provider";
import type { ConnectionSettings } from "./connection.js";
import { configOf } from "./model-gateway-config.js";
import { ModelGatewaySpeechModel } from "./model-gateway-speech-model.js";

/**
 * Makes the speech models of a gateway and nothing else, for bundles that are to be small: `createModelGateway` holds every kind.
 * Nothing is checked or sent before the first call of a model.
 *
 * @example
 * const speechModel = createSpeechModels({ apiKey, baseURL: "https://gateway.example/v1" });
 */
export function createSpeechModels(
  settings: ConnectionSettings = {},
): (modelId: string) => StreamingSpeechModelV4 {
  const config = configOf("speech", settings);
  return (modelId) => new ModelGatewaySpeechModel(modelId, config);
}
