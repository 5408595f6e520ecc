import { lazySchema, zodSchema } from "@ai-sdk/provider-utils";
import { z } from "zod/v4";

/** `providerOptions.modelGateway` of language models. */
export const chatLanguageModelOptionsSchema = lazySchema(() =>
  zodSchema(
    z.strictObject({
      /** End-user identifier. */
      user: z.string().optional(),
      /** Key-value pairs sent with the request. */
      metadata: z.record(z.string(), z.unknown()).optional(),
      /** Overrides the SDK's `reasoning` setting with the route's own word. */
      reasoningEffort: z.string().optional(),
      /** Whether the model may call several tools at once. */
      parallelToolCalls: z.boolean().optional(),
      /** Ask for output that follows the schema to the letter. Default true. */
      strictJsonSchema: z.boolean().optional(),
      /** Send the reasoning of the tool loop under way back to the model. Default true. */
      sendReasoning: z.boolean().optional(),
      /** Further fields of the request body, sent as they are. */
      extraBody: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
);

/** Options of language models under `providerOptions.modelGateway`; unknown names are an error. */
export interface ModelGatewayLanguageModelChatOptions {
  /** End-user identifier. */
  user?: string;
  /** Key-value pairs sent with the request. */
  metadata?: Record<string, unknown>;
  /** Overrides the SDK's `reasoning` setting with the route's own word. */
  reasoningEffort?: string;
  /** Whether the model may call several tools at once. */
  parallelToolCalls?: boolean;
  /** Ask for output that follows the schema to the letter. Default true. */
  strictJsonSchema?: boolean;
  /** Send the reasoning of the tool loop under way back to the model. Default true. */
  sendReasoning?: boolean;
  /** Further fields of the request body, sent as they are. */
  extraBody?: Record<string, unknown>;
}
