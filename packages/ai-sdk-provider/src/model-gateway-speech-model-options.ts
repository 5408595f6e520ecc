import { lazySchema, zodSchema } from "@ai-sdk/provider-utils";
import { z } from "zod/v4";

export const speechModelOptionsSchema = lazySchema(() =>
  zodSchema(
    z.strictObject({
      budgetTag: z.string().optional(),
      extraBody: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
);

/** Options of speech models under `providerOptions.modelGateway`; unknown names are an error. */
export interface ModelGatewaySpeechModelOptions {
  /** Who the call is for: with a `budget` per tag, what is spent for them is counted apart. */
  budgetTag?: string;
  /** Further fields of the request body, sent as they are: what the description does not list, such as `speed`. */
  extraBody?: Record<string, unknown>;
}
