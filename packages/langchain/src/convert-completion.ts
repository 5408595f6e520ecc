import { AIMessage, type ContentBlock, type MessageContent } from "@langchain/core/messages";
import type { ChatGeneration, ChatResult } from "@langchain/core/outputs";
import type { ChatCompletion } from "@model-gateway/core";
import { convertToolCalls } from "./convert-tool-call.js";
import { convertUsage, toLLMOutput } from "./convert-usage.js";
import { MODEL_PROVIDER } from "./model-provider.js";
import type { OutputImagePart } from "./output-images.js";
import { type Answer, type AnswerReading, choicesOf, readAnswer } from "./read-answer.js";
import { toToolCallExtras } from "./tool-call-extras.js";

/** Key of `additional_kwargs` with the whole answer; other integrations use the same. */
const RAW_RESPONSE = "__raw_response";

/** Fields of an answer that have a place of their own, and names that mean something else to LangChain. */
const OWN_FIELDS = new Set(["choices", "object", "created", "output_version", "tokenUsage"]);

/**
 * `response_metadata` of a message, the same however the answer was read: what the route told of the answer and of
 * the choice, as it came (`usage` with its cost, `system_fingerprint`, `service_tier`, `logprobs` …), and
 * `request_id` from the head of the answer.
 */
export function toResponseMetadata(answer: Answer, requestId: string | undefined): Record<string, unknown> {
  const { completion, choiceFields, model, finishReason } = answer;
  const told = Object.entries({ ...choiceFields, ...completion }).filter(
    ([name, value]) => !OWN_FIELDS.has(name) && value !== null && value !== undefined && value !== "",
  );
  return {
    ...Object.fromEntries(told),
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(finishReason === null ? {} : { finish_reason: finishReason }),
    model_provider: MODEL_PROVIDER,
    model,
    model_name: model,
  };
}

/** `additional_kwargs` of a message, reasoning excluded, which streams tell piece by piece. */
export function toAdditionalKwargs(
  { extras, calls, completion }: Answer,
  { includeRawResponse }: AnswerReading,
): Record<string, unknown> {
  return {
    ...extras,
    ...toToolCallExtras(calls),
    ...(includeRawResponse ? { [RAW_RESPONSE]: completion } : {}),
  };
}

/** Content of a message: a string, or parts once there are images. */
export function toMessageContent(text: string, images: readonly OutputImagePart[]): MessageContent {
  if (images.length === 0) return text;
  const textParts: ContentBlock[] = text === "" ? [] : [{ type: "text", text }];
  return [...textParts, ...images] as MessageContent;
}

/** The whole message of an answer. */
export function toMessage(answer: Answer, reading: AnswerReading, requestId: string | undefined): AIMessage {
  const { id, text, images, reasoning, calls } = answer;
  return new AIMessage({
    ...(id === undefined ? {} : { id }),
    content: toMessageContent(text, images),
    additional_kwargs: {
      ...toAdditionalKwargs(answer, reading),
      ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    },
    ...convertToolCalls(calls, answer.finishReason),
    usage_metadata: convertUsage(answer.completion.usage),
    response_metadata: toResponseMetadata(answer, requestId),
  });
}

/**
 * Converts a whole answer.
 *
 * @throws InvalidResponseError when the answer has no choice
 */
export function convertCompletion(
  completion: ChatCompletion,
  reading: AnswerReading,
  requestId: string | undefined,
): ChatResult {
  const generations = choicesOf(completion).map((choice, position): ChatGeneration => {
    // Tokens count once, whatever the number of choices.
    const { usage: _usage, cost: _cost, ...withoutUsage } = completion;
    const told = position === 0 ? completion : (withoutUsage as ChatCompletion);
    const answer = readAnswer(told, choice, reading);
    return {
      text: answer.text,
      message: toMessage(answer, reading, requestId),
      generationInfo: toGenerationInfo(answer),
    };
  });
  return { generations, llmOutput: toLLMOutput(convertUsage(completion.usage)) };
}

export function toGenerationInfo({ finishReason }: Answer): Record<string, unknown> {
  return finishReason === null ? {} : { finish_reason: finishReason };
}
