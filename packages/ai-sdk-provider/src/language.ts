export type { ConnectionSettings } from "./connection.js";
export { createLanguageModels } from "./create-language-models.js";
export type {
  ModelGatewayLanguageModelChatOptions,
  ModelGatewayLanguageModelSettings,
} from "./model-gateway-chat-language-model-options.js";
