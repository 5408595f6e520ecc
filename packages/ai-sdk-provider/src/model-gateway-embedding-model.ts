import type { EmbeddingModelV4, EmbeddingModelV4CallOptions, EmbeddingModelV4Result } from "@ai-sdk/provider";
import { parseProviderOptions, WORKFLOW_DESERIALIZE, WORKFLOW_SERIALIZE } from "@ai-sdk/provider-utils";
import { createEmbeddings } from "@model-gateway/core/embeddings";
import { callMetadata } from "./call-metadata.js";
import { toSDKError } from "./map-error.js";
import { type ModelConfig, PROVIDER_KEY, toRequestOptions } from "./model-gateway-config.js";
import {
  embeddingModelOptionsSchema,
  type ModelGatewayEmbeddingModelOptions,
  type ModelGatewayEmbeddingModelSettings,
} from "./model-gateway-embedding-model-options.js";
import { perConnection } from "./per-connection.js";
import { restoreConfig, type StoredModel, storeModel } from "./stored-model.js";

/** The API description advises batches of this size. */
const MAX_EMBEDDINGS_PER_CALL = 64;

/** As much of the client as these models use: a bundle of them alone holds no more. */
const gatewayOf = /* @__PURE__ */ perConnection((connection) => ({
  baseURL: connection.baseURL,
  embeddings: createEmbeddings(connection),
}));

/** Embedding models of the gateway (`POST /embeddings`) as an AI SDK embedding model. */
export class ModelGatewayEmbeddingModel implements EmbeddingModelV4 {
  readonly specificationVersion = "v4";
  readonly maxEmbeddingsPerCall = MAX_EMBEDDINGS_PER_CALL;
  readonly supportsParallelCalls = true;

  constructor(
    readonly modelId: string,
    private readonly settings: ModelGatewayEmbeddingModelSettings,
    private readonly config: ModelConfig,
  ) {}

  /**
   * Writes the model down between the steps of a workflow: with the name of the key's variable, never with the key, and without its
   * cache.
   */
  static [WORKFLOW_SERIALIZE](model: ModelGatewayEmbeddingModel): StoredModel {
    return storeModel(model.modelId, {}, model.config);
  }

  static [WORKFLOW_DESERIALIZE](stored: StoredModel): ModelGatewayEmbeddingModel {
    return new ModelGatewayEmbeddingModel(stored.modelId, {}, restoreConfig(stored));
  }

  get provider(): string {
    return this.config.provider;
  }

  async doEmbed(options: EmbeddingModelV4CallOptions): Promise<EmbeddingModelV4Result> {
    const own: ModelGatewayEmbeddingModelOptions =
      (await parseProviderOptions({
        provider: PROVIDER_KEY,
        providerOptions: options.providerOptions,
        schema: embeddingModelOptionsSchema,
      })) ?? {};
    const { values } = options;
    const dimensions = options.dimensions ?? own.dimensions;
    let baseURL = "";
    try {
      const gateway = gatewayOf(this.config.connect());
      baseURL = gateway.baseURL;
      const { data, response, requestId } = await gateway.embeddings
        .create(
          {
            model: this.modelId,
            input: values,
            ...(dimensions === undefined ? {} : { dimensions }),
            ...(own.user === undefined ? {} : { user: own.user }),
            ...own.extraBody,
          },
          // The SDK has already cut the values into calls.
          {
            ...toRequestOptions(options),
            batchSize: Math.max(1, values.length),
            cache: this.settings.cache,
          },
        )
        .withResponse();
      return {
        embeddings: data.data.map(({ embedding }) => embedding),
        ...(data.usage === undefined ? {} : { usage: { tokens: data.usage.prompt_tokens } }),
        ...callMetadata({ requestId, usage: usageOf(data.raw[0]), cost: data.cost }),
        response: { headers: Object.fromEntries(response.headers), body: data.raw[0] },
        warnings: [],
      };
    } catch (error) {
      throw toSDKError(error, baseURL);
    }
  }
}

/** What the SDK has no place for stands there, such as the cost. */
function usageOf(answer: unknown): unknown {
  return (answer as { usage?: unknown } | undefined)?.usage;
}
