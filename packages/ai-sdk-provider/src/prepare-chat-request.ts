import type { LanguageModelV4CallOptions, SharedV4Warning } from "@ai-sdk/provider";
import { injectJsonInstructionIntoMessages, parseProviderOptions } from "@ai-sdk/provider-utils";
import type { ChatCompletionRequest, ResponseFormat } from "@model-gateway/core";
import { convertMessages } from "./convert-messages.js";
import {
  chatLanguageModelOptionsSchema,
  type ModelGatewayLanguageModelChatOptions,
  type ModelGatewayLanguageModelSettings,
} from "./model-gateway-chat-language-model-options.js";
import { PROVIDER_KEY } from "./model-gateway-config.js";
import { prepareTools } from "./prepare-tools.js";

/** A call, ready to be sent. */
export interface PreparedChatRequest {
  body: ChatCompletionRequest;
  /** The settings of the model with those of the call over them. */
  options: ModelGatewayLanguageModelChatOptions;
  /** Whether the prompt asks for JSON. */
  asksForJSON: boolean;
  warnings: SharedV4Warning[];
}

/** The request body for a call; what cannot be sent becomes a warning. Only what the caller set is sent. */
export async function prepareChatRequest(
  modelId: string,
  settings: ModelGatewayLanguageModelSettings,
  call: LanguageModelV4CallOptions,
): Promise<PreparedChatRequest> {
  const warnings: SharedV4Warning[] = [];
  const options: ModelGatewayLanguageModelChatOptions = {
    ...settings,
    ...(await parseProviderOptions({
      provider: PROVIDER_KEY,
      providerOptions: call.providerOptions,
      schema: chatLanguageModelOptionsSchema,
    })),
  };
  if (call.topK !== undefined) {
    const details = `Models that know it take providerOptions.${PROVIDER_KEY}.extraBody.top_k.`;
    warnings.push({ type: "unsupported", feature: "topK", details });
  }
  const { sendReasoning = true, fileParts } = options;
  const { prompt, response_format } = prepareOutput(call, options);
  const body: ChatCompletionRequest = {
    model: modelId,
    messages: convertMessages(prompt, { sendReasoning, fileParts, warnings }),
    max_completion_tokens: call.maxOutputTokens,
    temperature: call.temperature,
    top_p: call.topP,
    stop: call.stopSequences?.length ? call.stopSequences : undefined,
    seed: call.seed,
    presence_penalty: call.presencePenalty,
    frequency_penalty: call.frequencyPenalty,
    response_format,
    reasoning_effort: options.reasoningEffort ?? effortOf(call.reasoning, warnings),
    user: options.user,
    metadata: options.metadata,
    ...prepareTools(call, options.forcedToolChoice ?? true, warnings),
    parallel_tool_calls: options.parallelToolCalls,
    ...options.extraBody,
  };
  return { body, options, asksForJSON: prompt !== call.prompt, warnings };
}

/**
 * The SDK's levels are also the words of the wire format, but for the highest. (The SDK's own mapping has changed within
 * its major version.)
 */
function effortOf(
  reasoning: LanguageModelV4CallOptions["reasoning"],
  warnings: SharedV4Warning[],
): string | undefined {
  if (reasoning === "provider-default") return undefined;
  if (reasoning !== "max") return reasoning;
  warnings.push({
    type: "compatibility",
    feature: "reasoning",
    details: `The API knows no "max"; "xhigh" is sent.`,
  });
  return "xhigh";
}

/** Where the model is told the shape of its answer: in a field of the request, in the prompt, or in both. */
function prepareOutput(
  { prompt, responseFormat: format }: LanguageModelV4CallOptions,
  { structuredOutputs = "jsonSchema", strictJsonSchema = true }: ModelGatewayLanguageModelChatOptions,
): Pick<LanguageModelV4CallOptions, "prompt"> & { response_format?: ResponseFormat } {
  if (format?.type !== "json") return { prompt };
  const { schema, name, description } = format;
  if (structuredOutputs === "jsonSchema") {
    if (schema === undefined) return { prompt, response_format: { type: "json_object" } };
    const json_schema = {
      name: name ?? "response",
      ...(description === undefined ? {} : { description }),
      schema: schema as Record<string, unknown>,
      strict: strictJsonSchema,
    };
    return { prompt, response_format: { type: "json_schema", json_schema } };
  }
  return {
    prompt: injectJsonInstructionIntoMessages({ messages: prompt, schema }),
    ...(structuredOutputs === "jsonObject" ? { response_format: { type: "json_object" } } : {}),
  };
}
