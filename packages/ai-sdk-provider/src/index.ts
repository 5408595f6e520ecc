export type { ImageShape } from "@model-gateway/core";
export type {
  ModelGatewayLanguageModelChatOptions,
  ModelGatewayLanguageModelSettings,
} from "./model-gateway-chat-language-model-options.js";
export type {
  ModelGatewayEmbeddingModelOptions,
  ModelGatewayEmbeddingModelSettings,
} from "./model-gateway-embedding-model-options.js";
export type { ModelGatewayImageModelSettings, PartialImage } from "./model-gateway-image-model.js";
export type { ModelGatewayImageModelOptions } from "./model-gateway-image-model-options.js";
export {
  createModelGateway,
  type ModelGatewayProvider,
  type ModelGatewayProviderSettings,
  modelGateway,
} from "./model-gateway-provider.js";
export type { ModelGatewaySpeechModelOptions } from "./model-gateway-speech-model-options.js";
export type { ModelGatewayVideoModelSettings } from "./model-gateway-video-model.js";
export type { ModelGatewayVideoModelOptions } from "./model-gateway-video-model-options.js";
export { oncePerToolCall } from "./once-per-tool-call.js";
export { VERSION } from "./version.js";
