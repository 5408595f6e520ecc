import {
  type EmbeddingModelV4,
  type LanguageModelV4,
  NoSuchModelError,
  type ProviderV4,
  type Experimental_VideoModelV4 as VideoModelV4,
} from "@ai-sdk/provider";
import type { FetchFunction } from "@ai-sdk/provider-utils";
import { type Model, ModelGateway, type ModelGatewayOptions } from "@model-gateway/core";
import { toSDKError } from "./map-error.js";
import { ModelGatewayChatLanguageModel } from "./model-gateway-chat-language-model.js";
import { PROVIDER_KEY, toRequestOptions } from "./model-gateway-config.js";
import { ModelGatewayEmbeddingModel } from "./model-gateway-embedding-model.js";
import { ModelGatewayVideoModel } from "./model-gateway-video-model.js";

/** Settings of `createModelGateway`; what is left out comes from the environment, as for the client itself. */
export interface ModelGatewayProviderSettings
  extends Pick<
    ModelGatewayOptions,
    | "baseURL"
    | "endpoints"
    | "route"
    | "timeout"
    | "streamIdleTimeout"
    | "headers"
    | "dangerouslyAllowBrowser"
  > {
  /** The key, a promise of it, or a function that gives it. Default: environment variable `MODEL_GATEWAY_API_KEY`. */
  apiKey?: string | PromiseLike<string> | (() => string | PromiseLike<string>);
  /** Used for every request, and for the download of results. */
  fetch?: FetchFunction;
}

/** The provider: call it with a model id for a language model, or name the kind of model. */
export interface ModelGatewayProvider extends ProviderV4 {
  (modelId: string): LanguageModelV4;
  chat(modelId: string): LanguageModelV4;
  languageModel(modelId: string): LanguageModelV4;
  embedding(modelId: string): EmbeddingModelV4;
  embeddingModel(modelId: string): EmbeddingModelV4;
  video(modelId: string): VideoModelV4;
  videoModel(modelId: string): VideoModelV4;
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
  const gateway = lazily(() => new ModelGateway(toOptions(settings)));
  const config = (kind: string) => ({ provider: `${PROVIDER_KEY}.${kind}`, gateway });

  const languageModel = (modelId: string) => new ModelGatewayChatLanguageModel(modelId, config("chat"));
  const embeddingModel = (modelId: string) => new ModelGatewayEmbeddingModel(modelId, config("embedding"));
  const videoModel = (modelId: string) => new ModelGatewayVideoModel(modelId, config("video"));

  return Object.assign((modelId: string) => languageModel(modelId), {
    specificationVersion: "v4" as const,
    chat: languageModel,
    languageModel,
    embedding: embeddingModel,
    embeddingModel,
    video: videoModel,
    videoModel,
    imageModel(modelId: string): never {
      throw new NoSuchModelError({ modelId, modelType: "imageModel" });
    },
    async listModels(options = {}) {
      try {
        return await gateway().models.list(toRequestOptions(options));
      } catch (error) {
        throw toSDKError(error, "");
      }
    },
  });
}

/** The provider with everything from the environment. */
export const modelGateway: ModelGatewayProvider = createModelGateway();

function toOptions({ apiKey, ...settings }: ModelGatewayProviderSettings): ModelGatewayOptions {
  if (apiKey === undefined || typeof apiKey === "string") return { ...settings, apiKey };
  const source = typeof apiKey === "function" ? apiKey : () => apiKey;
  return { ...settings, apiKey: async () => source() };
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
