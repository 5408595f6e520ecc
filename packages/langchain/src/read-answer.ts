import {
  type ChatCompletion,
  type CompletionChoice,
  type CompletionMessage,
  InvalidResponseError,
  readToolCalls,
  ThinkTagReader,
  type ToolCallReading,
} from "@model-gateway/core";
import { type OutputImagePart, readOutputImage } from "./output-images.js";
import { asArray, readContentParts } from "./read-content-parts.js";

/** How answers are read. */
export interface AnswerReading {
  /** Stands in where an answer does not name its model. */
  requestedModel: string;
  /** Take `<think>` tags at the beginning of the text for reasoning. */
  thinkTags: boolean;
  /** Keep the whole answer of the gateway with the message. */
  includeRawResponse: boolean;
}

/** One choice of an answer, the same whether it arrived whole or in pieces. */
export interface Answer {
  text: string;
  reasoning: string;
  images: OutputImagePart[];
  /** All with an id. */
  calls: ToolCallReading[];
  /** What the route sent of the message beside all that, such as `refusal`, `annotations`, `reasoning_details`. */
  extras: Record<string, unknown>;
  id: string | undefined;
  model: string;
  finishReason: string | null;
  /** What the route sent of the choice, such as `logprobs`. */
  choiceFields: Record<string, unknown>;
  completion: ChatCompletion;
}

/** Fields of a message that have a place of their own, or (`function_call`) an heir. */
const READ_FIELDS = new Set([
  "role",
  "content",
  "tool_calls",
  "reasoning_content",
  "reasoning",
  "images",
  "function_call",
]);

/**
 * Reads one choice of an answer.
 *
 * @param calls the choice's tool calls where they were read before, from a stream
 */
export function readAnswer(
  completion: ChatCompletion,
  choice: CompletionChoice,
  { requestedModel, thinkTags }: AnswerReading,
  calls: ToolCallReading[] = readToolCalls(choice.message.tool_calls),
): Answer {
  const { index, message, finish_reason: finishReason, ...choiceFields } = choice;
  const { text, reasoning, images } = readWords(message, thinkTags);
  for (const call of calls) call.id ??= createToolCallId();
  // LangGraph replaces messages by id, so two choices must not share one.
  const id = completion.id && index > 0 ? `${completion.id}-${index}` : completion.id;
  return {
    text,
    reasoning,
    images,
    calls,
    extras: Object.fromEntries(Object.entries(message).filter(([name]) => !READ_FIELDS.has(name))),
    id: id || undefined,
    model: completion.model || requestedModel,
    finishReason: finishReason ?? null,
    choiceFields,
    completion,
  };
}

/**
 * The choices of an answer, the first one first.
 *
 * @throws InvalidResponseError when there is none
 */
export function choicesOf(completion: ChatCompletion | undefined): [CompletionChoice, ...CompletionChoice[]] {
  const [first, ...others] = [...(completion?.choices ?? [])].sort((a, b) => (a.index ?? 0) - (b.index ?? 0));
  if (first !== undefined) return [first, ...others];
  throw new InvalidResponseError("The gateway answered with a chat completion without choices.", {
    body: completion,
  });
}

function readWords(message: CompletionMessage, thinkTags: boolean) {
  const { content, reasoning_content: reasoning = message.reasoning } = message;
  const parts = readContentParts(content);
  const images = asArray(message["images"])
    .map(readOutputImage)
    .filter((image) => image !== undefined);
  let { text } = parts;
  let thoughts = (typeof reasoning === "string" ? reasoning : "") + parts.reasoning;
  if (thinkTags) {
    const reader = new ThinkTagReader();
    const [read, rest] = [reader.add(text), reader.end()];
    text = read.text + rest.text;
    thoughts += read.reasoning + rest.reasoning;
  }
  return { text, reasoning: thoughts, images: [...parts.images, ...images] };
}

/** For routes that give tool calls no id: results could not be told apart without one. */
function createToolCallId(): string {
  return `call_${crypto.randomUUID()}`;
}
