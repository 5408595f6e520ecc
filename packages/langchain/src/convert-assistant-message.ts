import type { AIMessage } from "@langchain/core/messages";
import type { AssistantMessage, ContentPart, ToolCall } from "@model-gateway/core";
import { flattenParts, type ReadContent } from "./read-message-content.js";
import { readToolCallExtras } from "./tool-call-extras.js";

/**
 * Converts an answer for the history of a conversation. What its model sent beside the text goes back with it: fields
 * of tool calls and of the message such as `extra_content`, and reasoning while the model is still at work. Calls that
 * could not be run go back as the model wrote them; a refusal goes back as text.
 *
 * @param inToolLoop the model is still at work on the last question
 * @returns undefined for an answer of which nothing can be sent
 */
export function convertAssistantMessage(
  message: AIMessage,
  { parts, reasoning, reasoningDetails }: ReadContent,
  inToolLoop: boolean,
): AssistantMessage | undefined {
  const kwargs = message.additional_kwargs ?? {};
  const { refusal, audio, reasoning_content: ownReasoning, reasoning_details: ownDetails } = kwargs;
  const { content, extraContent } = liftExtraContent(parts);
  if (typeof refusal === "string") content.push({ type: "text", text: refusal });
  const flat = flattenParts(content);
  const answer: AssistantMessage = { role: "assistant", content: flat };
  const signature = kwargs["extra_content"] ?? extraContent;
  if (signature !== undefined) answer["extra_content"] = signature;
  const spoken = (audio as { id?: unknown } | undefined)?.id ?? audioIdOf(message);
  if (spoken !== undefined) answer["audio"] = { id: spoken };
  const calls = convertCalls(message);
  if (calls.length > 0) {
    answer.tool_calls = calls;
    const thoughts = ownReasoning ?? reasoning;
    if (inToolLoop && typeof thoughts === "string" && thoughts !== "") answer.reasoning_content = thoughts;
    const details = ownDetails ?? reasoningDetails;
    if (inToolLoop && details !== undefined) answer["reasoning_details"] = details;
  }
  const isEmpty = flat.length === 0 && calls.length === 0 && spoken === undefined;
  return isEmpty ? undefined : answer;
}

/** The ids of the calls of an answer that could not be run. */
export function invalidCallIds({ invalid_tool_calls: calls }: AIMessage): string[] {
  return (calls ?? []).map(({ id }) => id).filter((id) => id !== undefined);
}

/** The chat format has the signature of a text on its message. */
function liftExtraContent(parts: readonly ContentPart[]): { content: ContentPart[]; extraContent: unknown } {
  let lifted: unknown;
  const content = parts.map((part) => {
    const { extra_content: extraContent, ...others } = part;
    lifted ??= extraContent;
    return others as ContentPart;
  });
  return { content, extraContent: lifted };
}

function convertCalls(message: AIMessage): ToolCall[] {
  const valid = (message.tool_calls ?? []).map(({ id, name, args }) => ({
    id,
    name,
    written: JSON.stringify(args),
  }));
  // Without an id no result can belong to it.
  const invalid = (message.invalid_tool_calls ?? [])
    .filter(({ id }) => id !== undefined)
    .map(({ id, name, args }) => ({ id, name, written: args ?? "" }));
  return [...valid, ...invalid].map(({ id, name = "unknown", written }) => {
    const { function: functionExtras, ...extras } = readToolCallExtras(message, id) ?? {};
    const called = { ...(functionExtras as object | undefined), name, arguments: written };
    return { ...extras, id: id ?? "", type: "function", function: called };
  });
}

function audioIdOf({ content }: AIMessage): unknown {
  if (typeof content === "string") return undefined;
  return content.find(({ type }) => type === "audio")?.["id"];
}
