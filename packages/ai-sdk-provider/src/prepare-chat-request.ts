import type { LanguageModelV4CallOptions, SharedV4Warning } from "@ai-sdk/provider";
import { parseProviderOptions } from "@ai-sdk/provider-utils";
import type { ChatCompletionRequest, ResponseFormat } from "@model-gateway/core";
import { convertMessages } from "./convert-messages.js";
import {
  chatLanguageModelOptionsSchema,
  type ModelGatewayLanguageModelChatOptions,
} from "./model-gateway-chat-language-model-options.js";
import { PROVIDER_KEY } from "./model-gateway-config.js";
import { prepareTools } from "./prepare-tools.js";

/** The request body for a call; what cannot be sent becomes a warning. Only what the caller set is sent. */
export async function prepareChatRequest(
  modelId: string,
  call: LanguageModelV4CallOptions,
): Promise<{ body: ChatCompletionRequest; warnings: SharedV4Warning[] }> {
  const warnings: SharedV4Warning[] = [];
  const options: ModelGatewayLanguageModelChatOptions =
    (await parseProviderOptions({
      provider: PROVIDER_KEY,
      providerOptions: call.providerOptions,
      schema: chatLanguageModelOptionsSchema,
    })) ?? {};
  if (call.topK !== undefined) warnings.push({ type: "unsupported", feature: "topK" });

  const body: ChatCompletionRequest = {
    model: modelId,
    messages: convertMessages(call.prompt, { sendReasoning: options.sendReasoning ?? true, warnings }),
    max_completion_tokens: call.maxOutputTokens,
    temperature: call.temperature,
    top_p: call.topP,
    stop: call.stopSequences?.length ? call.stopSequences : undefined,
    seed: call.seed,
    presence_penalty: call.presencePenalty,
    frequency_penalty: call.frequencyPenalty,
    response_format: prepareResponseFormat(call.responseFormat, options.strictJsonSchema ?? true),
    reasoning_effort: options.reasoningEffort ?? effortOf(call.reasoning, warnings),
    user: options.user,
    metadata: options.metadata,
    ...prepareTools(call, warnings),
    parallel_tool_calls: options.parallelToolCalls,
    ...options.extraBody,
  };
  return { body, warnings };
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

function prepareResponseFormat(
  format: LanguageModelV4CallOptions["responseFormat"],
  strict: boolean,
): ResponseFormat | undefined {
  if (format?.type !== "json") return undefined;
  const { schema, name, description } = format;
  if (schema === undefined) return { type: "json_object" };
  return {
    type: "json_schema",
    json_schema: {
      name: name ?? "response",
      ...(description === undefined ? {} : { description }),
      schema: schema as Record<string, unknown>,
      strict,
    },
  };
}
