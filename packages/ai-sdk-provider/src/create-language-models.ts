import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { ConnectionSettings } from "./connection.js";
import { ModelGatewayChatLanguageModel } from "./model-gateway-chat-language-model.js";
import type { ModelGatewayLanguageModelSettings } from "./model-gateway-chat-language-model-options.js";
import { configOf } from "./model-gateway-config.js";

/**
 * Makes the language models of a gateway and nothing else, for bundles that are to be small: `createModelGateway` holds every kind.
 * Nothing is checked or sent before the first call of a model.
 *
 * @example
 * const languageModel = createLanguageModels({ apiKey, baseURL: "https://gateway.example/v1" });
 */
export function createLanguageModels(
  settings: ConnectionSettings = {},
): (modelId: string, settings?: ModelGatewayLanguageModelSettings) => LanguageModelV4 {
  const config = configOf("chat", settings);
  return (modelId, settings = {}) => new ModelGatewayChatLanguageModel(modelId, settings, config);
}
