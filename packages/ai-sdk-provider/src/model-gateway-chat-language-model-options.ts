import { lazySchema, zodSchema } from "@ai-sdk/provider-utils";
import { z } from "zod/v4";

/** `providerOptions.modelGateway` of language models. */
export const chatLanguageModelOptionsSchema = lazySchema(() =>
  zodSchema(
    z.strictObject({
      user: z.string().optional(),
      metadata: z.record(z.string(), z.unknown()).optional(),
      reasoningEffort: z.string().optional(),
      parallelToolCalls: z.boolean().optional(),
      strictJsonSchema: z.boolean().optional(),
      sendReasoning: z.boolean().optional(),
      budgetTag: z.string().optional(),
      extraBody: z.record(z.string(), z.unknown()).optional(),
      structuredOutputs: z.enum(["jsonSchema", "jsonObject", "prompt"]).optional(),
      forcedToolChoice: z.boolean().optional(),
      fileParts: z.literal("openai").optional(),
      thinkTags: z.boolean().optional(),
      requireFinishReason: z.boolean().optional(),
    }),
  ),
);

/** What differs between chat models: settings of `modelGateway(id, settings)`, or options of a call. */
export interface ModelGatewayLanguageModelSettings {
  /**
   * How output of a given shape is asked for: `jsonSchema` (default) sends the schema as `response_format`, `jsonObject`
   * asks for JSON and tells the schema in the prompt, `prompt` tells it in the prompt alone.
   */
  structuredOutputs?: "jsonSchema" | "jsonObject" | "prompt";
  /**
   * Whether the model can be made to call a tool. With `false`, `required` and a named tool are sent as `auto`; of the
   * tools, only the named one goes along. Default true.
   */
  forcedToolChoice?: boolean;
  /**
   * Parts that the API description does not have: `openai` sends PDF files, audio and video as clients of the chat format
   * do (`file`, `input_audio`, `video_url`). Default: they are refused.
   */
  fileParts?: "openai";
  /** Take what stands in `<think>` tags at the beginning of an answer for reasoning. Default false. */
  thinkTags?: boolean;
  /** `false` for routes that are known to end their streams without a finish reason. Default true. */
  requireFinishReason?: boolean;
}

/** Options of language models under `providerOptions.modelGateway`; unknown names are an error. */
export interface ModelGatewayLanguageModelChatOptions extends ModelGatewayLanguageModelSettings {
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
  /** Who the call is for: with a `budget` per tag, what is spent for them is counted apart. */
  budgetTag?: string;
  /** Further fields of the request body, sent as they are. */
  extraBody?: Record<string, unknown>;
}
