import type {
  EmbeddingModelV4,
  ImageModelV4,
  LanguageModelV4,
  ProviderV4,
  Experimental_StreamingSpeechModelV4 as StreamingSpeechModelV4,
  Experimental_VideoModelV4 as VideoModelV4,
} from "@ai-sdk/provider";
import { createModels, type Model } from "@model-gateway/core/models";
import { type ConnectionSettings, connect } from "./connection.js";
import { toSDKError } from "./map-error.js";
import { ModelGatewayChatLanguageModel } from "./model-gateway-chat-language-model.js";
import type { ModelGatewayLanguageModelSettings } from "./model-gateway-chat-language-model-options.js";
import { configOf, toRequestOptions } from "./model-gateway-config.js";
import { ModelGatewayEmbeddingModel } from "./model-gateway-embedding-model.js";
import type { ModelGatewayEmbeddingModelSettings } from "./model-gateway-embedding-model-options.js";
import { ModelGatewayImageModel, type ModelGatewayImageModelSettings } from "./model-gateway-image-model.js";
import { ModelGatewaySpeechModel } from "./model-gateway-speech-model.js";
import { ModelGatewayVideoModel, type ModelGatewayVideoModelSettings } from "./model-gateway-video-model.js";

/** Settings of `createModelGateway`. */
export interface ModelGatewayProviderSettings extends ConnectionSettings {}

/** The provider: call it with a model id for a language model, or name the kind of model. */
export interface ModelGatewayProvider extends ProviderV4 {
  (modelId: string, settings?: ModelGatewayLanguageModelSettings): LanguageModelV4;
  chat(modelId: string, settings?: ModelGatewayLanguageModelSettings): LanguageModelV4;
  languageModel(modelId: string, settings?: ModelGatewayLanguageModelSettings): LanguageModelV4;
  embedding(modelId: string, settings?: ModelGatewayEmbeddingModelSettings): EmbeddingModelV4;
  embeddingModel(modelId: string, settings?: ModelGatewayEmbeddingModelSettings): EmbeddingModelV4;
  image(modelId: string, settings?: ModelGatewayImageModelSettings): ImageModelV4;
  imageModel(modelId: string, settings?: ModelGatewayImageModelSettings): ImageModelV4;
  speech(modelId: string): StreamingSpeechModelV4;
  speechModel(modelId: string): StreamingSpeechModelV4;
  video(modelId: string, settings?: ModelGatewayVideoModelSettings): VideoModelV4;
  videoModel(modelId: string, settings?: ModelGatewayVideoModelSettings): VideoModelV4;
  /** The models the key can reach. */
  listModels(options?: {
    abortSignal?: AbortSignal;
    headers?: Record<string, string | undefined>;
  }): Promise<Model[]>;
}

/**
 * Makes a provider for the Vercel AI SDK. Nothing is checked or sent before the first call of a model.
 *
 * @example
 * const modelGateway = createModelGateway({ apiKey, baseURL: "https://gateway.example/v1" });
 * const { text } = await generateText({ model: modelGateway("local-chat"), prompt: "Hello" });
 */
export function createModelGateway(settings: ModelGatewayProviderSettings = {}): ModelGatewayProvider {
  // One for all kinds of models: they share its pauses and its places under `maxConcurrency`.
  const open = connect(settings);
  const config = (kind: string) => configOf(kind, settings, open);

  const languageModel = (modelId: string, settings: ModelGatewayLanguageModelSettings = {}) =>
    new ModelGatewayChatLanguageModel(modelId, settings, config("chat"));
  const embeddingModel = (modelId: string, settings: ModelGatewayEmbeddingModelSettings = {}) =>
    new ModelGatewayEmbeddingModel(modelId, settings, config("embedding"));
  const imageModel = (modelId: string, settings: ModelGatewayImageModelSettings = {}) =>
    new ModelGatewayImageModel(modelId, settings, config("image"));
  const speechModel = (modelId: string) => new ModelGatewaySpeechModel(modelId, config("speech"));
  const videoModel = (modelId: string, settings: ModelGatewayVideoModelSettings = {}) =>
    new ModelGatewayVideoModel(modelId, settings, config("video"));

  return Object.assign(languageModel.bind(undefined), {
    specificationVersion: "v4" as const,
    chat: languageModel,
    languageModel,
    embedding: embeddingModel,
    embeddingModel,
    video: videoModel,
    videoModel,
    image: imageModel,
    imageModel,
    speech: speechModel,
    speechModel,
    async listModels(options = {}) {
      try {
        return await createModels(open()).list(toRequestOptions(options));
      } catch (error) {
        throw toSDKError(error, "");
      }
    },
  });
}

/** The provider with everything from the environment. */
export const modelGateway: ModelGatewayProvider = /* @__PURE__ */ createModelGateway();
