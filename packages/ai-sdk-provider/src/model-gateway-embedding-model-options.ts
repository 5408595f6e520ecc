import { lazySchema, zodSchema } from "@ai-sdk/provider-utils";
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
