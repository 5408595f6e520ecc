export type { ModelGatewayLanguageModelChatOptions } from "./model-gateway-chat-language-model-options.js";
export type { ModelGatewayEmbeddingModelOptions } from "./model-gateway-embedding-model-options.js";
export {
  createModelGateway,
  type ModelGatewayProvider,
  type ModelGatewayProviderSettings,
  modelGateway,
} from "./model-gateway-provider.js";
export type { ModelGatewayVideoModelOptions } from "./model-gateway-video-model-options.js";
export { VERSION } from "./version.js";
