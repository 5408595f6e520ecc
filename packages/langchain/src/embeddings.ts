import { Embeddings, type EmbeddingsParams } from "@langchain/core/embeddings";
import {
  createEmbeddings,
  type EmbeddingCache,
  type EmbeddingUsage,
  type ModelGateway,
} from "@model-gateway/core";
import { connectGateway, type GatewayConnection } from "./gateway-connection.js";
import { toLangChainError } from "./map-error.js";

/** As much of the client as embeddings use. */
export type EmbeddingClient = Pick<ModelGateway, "embeddings">;

/** Constructor arguments of `ModelGatewayEmbeddings`. */
export interface ModelGatewayEmbeddingsFields
  extends Omit<EmbeddingsParams, "maxRetries">,
    GatewayConnection<EmbeddingClient> {
  /** An embedding model id available to the key. */
  model: string;
  /** Texts per request. Default 64; some upstreams take fewer. */
  batchSize?: number;
  /** Requests under way at once, per call. Default 4. */
  maxConcurrency?: number;
  /** Length of the vectors; only some models support it. */
  dimensions?: number;
  /** How vectors travel; sent only when set. Both forms are read. */
  encodingFormat?: "float" | "base64";
  /** Replace line breaks by spaces before embedding. Default false: line breaks carry meaning. */
  stripNewLines?: boolean;
  /** Further fields of the request body, such as `{ input_type: "query" }`. They win over everything else. */
  modelKwargs?: Record<string, unknown>;
  /**
   * Where vectors are looked for before they are paid for: `memoryEmbeddingCache()`, `FileEmbeddingCache`, `RedisEmbeddingCache`, or
   * `fromByteStore()` over a store of LangChain's.
   */
  cache?: EmbeddingCache;
  /** Called with the tokens of every call that sent something, summed over its requests. */
  onUsage?: (usage: EmbeddingUsage) => void;
  /** Who the calls are for: with a `budget` per tag, what is spent for them is counted apart. */
  budgetTag?: string;
}

/** Fields that the gateway client knows nothing of. */
const OWN_FIELDS = {
  model: true,
  batchSize: true,
  dimensions: true,
  encodingFormat: true,
  stripNewLines: true,
  modelKwargs: true,
  cache: true,
  onUsage: true,
  budgetTag: true,
  onFailedAttempt: true,
} as const satisfies Record<Exclude<keyof ModelGatewayEmbeddingsFields, keyof GatewayConnection>, true>;

const OWN_FIELD_NAMES: readonly string[] = [...Object.keys(OWN_FIELDS), "maxConcurrency"];

/** Options of one call; LangChain's vector stores never pass any. */
export interface EmbedOptions {
  /** Aborts the requests of this call. */
  signal?: AbortSignal;
  /** Called after each request with the number of texts that are done. */
  onProgress?: (progress: { done: number; total: number }) => void;
  /** Overrides that of the model. */
  budgetTag?: string;
}

/**
 * Embedding models of a model gateway.
 *
 * ## Setup
 *
 * ```bash
 * npm install @model-gateway/langchain @langchain/core
 * export MODEL_GATEWAY_API_KEY="sk-..."
 * export MODEL_GATEWAY_BASE_URL="<the gateway's address, ending in /v1>"
 * ```
 *
 * ## Constructor args
 *
 * `new ModelGatewayEmbeddings("model-id", fields?)` or `new ModelGatewayEmbeddings({ model: "model-id", ... })`; see
 * {@link ModelGatewayEmbeddingsFields}.
 *
 * <details open>
 * <summary><strong>Instantiate</strong></summary>
 *
 * ```ts
 * import { ModelGatewayEmbeddings } from "@model-gateway/langchain";
 *
 * const embeddings = new ModelGatewayEmbeddings("local-embedding");
 * ```
 * </details>
 *
 * <details>
 * <summary><strong>Embed documents</strong></summary>
 *
 * ```ts
 * const vectors = await embeddings.embedDocuments(["The sky is blue.", "Bread is baked."]);
 * ```
 * </details>
 *
 * <details>
 * <summary><strong>Embed a query</strong></summary>
 *
 * ```ts
 * const vector = await embeddings.embedQuery("What colour is the sky?");
 * ```
 * </details>
 *
 * Vectors come in the order of the texts, whatever order the server used; equal texts are paid for once. If one request
 * fails, the call fails: there are no gaps and no empty vectors. The error's `partial` has what is finished; of texts that are
 * refused, `InvalidInputsError` tells which.
 *
 * @throws ConfigurationError from the constructor, when the key or the address is missing
 */
export class ModelGatewayEmbeddings extends Embeddings {
  readonly model: string;
  readonly batchSize: number;
  readonly dimensions: number | undefined;
  readonly encodingFormat: "float" | "base64" | undefined;
  readonly stripNewLines: boolean;
  /** The client that sends every request. */
  readonly gateway: EmbeddingClient;
  /** Private, since headers may hold secrets and instances are printed. */
  readonly #fields: Omit<ModelGatewayEmbeddingsFields, "apiKey">;

  constructor(model: string, fields?: Omit<ModelGatewayEmbeddingsFields, "model">);
  constructor(fields: ModelGatewayEmbeddingsFields);
  constructor(
    modelOrFields: string | ModelGatewayEmbeddingsFields,
    otherFields?: Omit<ModelGatewayEmbeddingsFields, "model">,
  ) {
    const fields: ModelGatewayEmbeddingsFields =
      typeof modelOrFields === "string" ? { ...otherFields, model: modelOrFields } : modelOrFields;
    // The gateway client is the one retry authority.
    super({ maxRetries: 0 });
    this.gateway = connectGateway<EmbeddingClient>(fields, OWN_FIELD_NAMES, (connection) => ({
      embeddings: createEmbeddings(connection),
    }));
    const { apiKey: _apiKey, ...kept } = fields;
    this.#fields = kept;
    this.model = fields.model;
    this.batchSize = fields.batchSize ?? 64;
    this.dimensions = fields.dimensions;
    this.encodingFormat = fields.encodingFormat;
    this.stripNewLines = fields.stripNewLines ?? false;
  }

  /** @returns one vector per text, in the order of the texts; none, and no request, for no texts */
  override async embedDocuments(texts: string[], options: EmbedOptions = {}): Promise<number[][]> {
    return this.embed(
      texts.map((text) => this.prepare(text)),
      options,
    );
  }

  override async embedQuery(text: string, options: EmbedOptions = {}): Promise<number[]> {
    const [vector] = await this.embed(this.prepare(text), options);
    return vector as number[];
  }

  private async embed(
    input: string | string[],
    { signal, onProgress, budgetTag = this.#fields.budgetTag }: EmbedOptions,
  ): Promise<number[][]> {
    const {
      maxConcurrency,
      maxRetries,
      timeout,
      deadline,
      connectTimeout,
      headers,
      route,
      modelKwargs,
      cache,
      onUsage,
    } = this.#fields;
    const { model, dimensions, encodingFormat } = this;
    try {
      signal?.throwIfAborted();
      const { data, usage, raw } = await this.gateway.embeddings.create(
        {
          model,
          input,
          ...(dimensions === undefined ? {} : { dimensions }),
          ...(encodingFormat === undefined ? {} : { encoding_format: encodingFormat }),
          ...modelKwargs,
        },
        {
          signal,
          batchSize: this.batchSize,
          concurrency: maxConcurrency,
          maxRetries,
          timeout,
          deadline,
          connectTimeout,
          headers,
          route,
          cache,
          onProgress,
          budgetTag,
        },
      );
      if (usage !== undefined && raw.length > 0) onUsage?.(usage);
      return data.map(({ embedding }) => embedding);
    } catch (error) {
      throw toLangChainError(error, signal);
    }
  }

  private prepare(text: string): string {
    return this.stripNewLines ? text.replaceAll("\n", " ") : text;
  }
}
