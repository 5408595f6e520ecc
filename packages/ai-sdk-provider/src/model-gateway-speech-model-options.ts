import { lazySchema, zodSchema } from "@ai-sdk/provider-utils";
import { z } from "zod/v4";

export const speechModelOptionsSchema = lazySchema(() =>
  zodSchema(z.strictObject({ extraBody: z.record(z.string(), z.unknown()).optional() })),
);

/** Options of speech models under `providerOptions.modelGateway`; unknown names are an error. */
export interface ModelGatewaySpeechModelOptions {
  /** Further fields of the request body, sent as they are: what the description does not list, such as `speed`. */
  extraBody?: Record<string, unknown>;
}
