import { AIMessage, type ContentBlock, type MessageContent } from "@langchain/core/messages";
import type { ChatGeneration, ChatResult } from "@langchain/core/outputs";
import {
  type ChatCompletion,
  type CompletionChoice,
  type CompletionMessage,
  InvalidResponseError,
} from "@model-gateway/core";
import { convertUsage, toLLMOutput } from "./convert-usage.js";
import { MODEL_PROVIDER } from "./model-provider.js";
import { type OutputImagePart, readOutputImage } from "./output-images.js";
import { readToolCalls } from "./read-tool-call.js";

/** Facts about an answer that belong to no part of it. */
export interface AnswerFacts {
  id: string | undefined;
  model: string;
  finishReason: string | null | undefined;
}

/** `response_metadata` of a message, the same however the answer was read. */
export function toResponseMetadata({ id, model, finishReason }: AnswerFacts): Record<string, unknown> {
  return {
    model_provider: MODEL_PROVIDER,
    model,
    model_name: model,
    ...(id === undefined ? {} : { id }),
    ...(finishReason ? { finish_reason: finishReason } : {}),
  };
}

/** Content of a message: a string, or parts once there are images. */
export function toMessageContent(text: string, images: readonly OutputImagePart[]): MessageContent {
  if (images.length === 0) return text;
  const textParts: ContentBlock[] = text === "" ? [] : [{ type: "text", text }];
  return [...textParts, ...images] as MessageContent;
}

/**
 * Converts a whole answer.
 *
 * @param requestedModel stands in where the answer does not name its model
 * @throws InvalidResponseError when the answer has no choice
 */
export function convertCompletion(completion: ChatCompletion, requestedModel: string): ChatResult {
  if (completion.choices.length === 0) {
    throw new InvalidResponseError("The gateway answered with a chat completion without choices.", {
      body: completion,
    });
  }
  const usage = convertUsage(completion.usage);
  const generations = completion.choices.map((choice, position) => {
    // LangGraph replaces messages by id, so two choices must not share one.
    const id = completion.id ? (position === 0 ? completion.id : `${completion.id}-${position}`) : undefined;
    return convertChoice(choice, {
      id,
      model: completion.model || requestedModel,
      finishReason: choice.finish_reason,
      usage: position === 0 ? usage : undefined,
    });
  });
  return { generations, llmOutput: toLLMOutput(usage) };
}

function convertChoice(
  { message: answer }: CompletionChoice,
  { usage, ...facts }: AnswerFacts & { usage: ReturnType<typeof convertUsage> },
): ChatGeneration {
  const { text, images } = readAnswerContent(answer);
  const reasoning = answer.reasoning_content ?? answer.reasoning;
  const calls = (answer.tool_calls ?? []).map(({ id, function: called }) => ({
    id: id || createToolCallId(),
    name: called?.name,
    args: toArgumentText(called?.arguments),
  }));
  const message = new AIMessage({
    id: facts.id,
    content: toMessageContent(text, images),
    additional_kwargs:
      typeof reasoning === "string" && reasoning !== "" ? { reasoning_content: reasoning } : {},
    ...readToolCalls(calls),
    usage_metadata: usage,
    response_metadata: toResponseMetadata(facts),
  });
  return { text, message, generationInfo: facts.finishReason ? { finish_reason: facts.finishReason } : {} };
}

function readAnswerContent(answer: CompletionMessage): { text: string; images: OutputImagePart[] } {
  const { content } = answer;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  const images = [...parts, ...asArray(answer["images"])]
    .map(readOutputImage)
    .filter((image) => image !== undefined);
  const text = typeof content === "string" ? content : parts.map(readPartText).join("");
  return { text, images };
}

/** Text of a part of an answer, empty for parts of other kinds. */
export function readPartText(part: unknown): string {
  const text = (part as { text?: unknown } | null)?.text;
  return typeof text === "string" ? text : "";
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Some routes send the arguments as an object where the format has JSON text. */
export function toArgumentText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

/** For routes that give tool calls no id: results could not be told apart without one. */
export function createToolCallId(): string {
  return `call_${crypto.randomUUID()}`;
}
