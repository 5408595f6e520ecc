import { lazySchema, zodSchema } from "@ai-sdk/provider-utils";
import type { EmbeddingCache } from "@model-gateway/core/embeddings";
import { z } from "zod/v4";

export const embeddingModelOptionsSchema = lazySchema(() =>
  zodSchema(
    z.strictObject({
      dimensions: z.number().int().positive().optional(),
      user: z.string().optional(),
      budgetTag: z.string().optional(),
      extraBody: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
);

/** Options of embedding models under `providerOptions.modelGateway`; unknown names are an error. */
export interface ModelGatewayEmbeddingModelOptions {
  /** Length of the vectors, where the SDK's own `dimensions` is not at hand. */
  dimensions?: number;
  /** End-user identifier. */
  user?: string;
  /** Who the call is for: with a `budget` per tag, what is spent for them is counted apart. */
  budgetTag?: string;
  /** Further fields of the request body, sent as they are. */
  extraBody?: Record<string, unknown>;
}

/** Settings of an embedding model. */
export interface ModelGatewayEmbeddingModelSettings {
  /**
   * Where vectors are looked for before they are paid for, such as `memoryEmbeddingCache()` of `@model-gateway/core`; the calls that
   * `embedMany` makes at once share requests for equal texts then. A workflow does not keep it.
   */
  cache?: EmbeddingCache;
}
