export { fromByteStore } from "./byte-store-cache.js";
export { ChatModelGateway } from "./chat-model.js";
export type {
  ChatClient,
  ChatModelGatewayCallOptions,
  ChatModelGatewayFields,
  ChatModelGatewaySampling,
} from "./chat-model-options.js";
export {
  type EmbeddingClient,
  type EmbedOptions,
  ModelGatewayEmbeddings,
  type ModelGatewayEmbeddingsFields,
} from "./embeddings.js";
export type { GatewayConnection } from "./gateway-connection.js";
export { listModelProfiles } from "./list-model-profiles.js";
