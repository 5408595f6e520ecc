import type { AIMessage, BaseMessage, ToolMessage } from "@langchain/core/messages";
import {
  type ChatMessage,
  type ContentPart,
  InvalidRequestError,
  type RequestProblem,
} from "@model-gateway/core";
import { convertAssistantMessage, invalidCallIds } from "./convert-assistant-message.js";
import { flattenParts, isText, joinText, readMessageContent } from "./read-message-content.js";

export interface ConvertMessagesOptions {
  /** Send the reasoning of an unfinished tool loop back to the model. */
  reasoningRoundTrip: boolean;
  /** Send audio, video and files as clients of the chat format do. */
  fileParts?: "openai" | undefined;
  /** Added to the system message. */
  formatInstructions?: string;
}

type Role = ChatMessage["role"];

const ROLES: Readonly<Record<string, Role>> = {
  human: "user",
  user: "user",
  ai: "assistant",
  assistant: "assistant",
  system: "system",
  developer: "system",
  tool: "tool",
  function: "tool",
};

/** Stands for the result of a call that could not be run and that nobody answered: servers want one for every call. */
const NOT_RUN = "The call was not carried out: its arguments were not a complete JSON object.";

/**
 * Converts a LangChain conversation to the gateway's messages. The roles are system, user, assistant and tool;
 * images and files in tool results move to a user message behind the results, since tool messages carry text only.
 *
 * @throws InvalidRequestError that lists every part the gateway has no place for
 */
export function convertMessages(
  messages: readonly BaseMessage[],
  options: ConvertMessagesOptions,
): ChatMessage[] {
  const problems: RequestProblem[] = [];
  const converted: ChatMessage[] = [];
  const answeredCalls = new Set(messages.map((message) => (message as Partial<ToolMessage>).tool_call_id));
  // Reasoning goes back only where the model is still at work on the last question.
  const currentTurn = options.reasoningRoundTrip ? lastUserIndex(messages) : messages.length;
  let unanswered: string[] = [];
  let toolMedia: ContentPart[] = [];
  const endToolResults = () => {
    for (const id of unanswered) converted.push({ role: "tool", content: NOT_RUN, tool_call_id: id });
    if (toolMedia.length > 0) converted.push({ role: "user", content: toolMedia });
    unanswered = [];
    toolMedia = [];
  };

  messages.forEach((message, index) => {
    const role = roleOf(message);
    const field = `messages[${index}]`;
    if (role === undefined) {
      const what = "must be system, user, assistant or tool";
      problems.push({ field: `${field}.role`, message: what, value: message.type });
      return;
    }
    if (role !== "tool") endToolResults();
    const conversion =
      role === "assistant"
        ? { fileParts: undefined, ownBlocks: false }
        : { fileParts: options.fileParts, ownBlocks: true };
    const content = readMessageContent(message, conversion, field, problems);
    const name = message.name === undefined || message.name === "" ? {} : { name: message.name };
    const texts = content.parts.filter(isText);
    const media = content.parts.filter((part) => !isText(part));
    switch (role) {
      case "system":
        if (media.length > 0) {
          const what = "holds an image or a file: system messages carry text only";
          problems.push({ field: `${field}.content`, message: what });
        }
        converted.push({ role, content: flattenParts(texts), ...name });
        break;
      case "user":
        converted.push({ role, content: flattenParts(content.parts), ...name });
        break;
      case "assistant": {
        const answer = convertAssistantMessage(message as AIMessage, content, index > currentTurn);
        if (answer !== undefined) converted.push({ ...answer, ...name });
        unanswered = invalidCallIds(message as AIMessage).filter((id) => !answeredCalls.has(id));
        break;
      }
      case "tool": {
        const callId = (message as ToolMessage).tool_call_id;
        const told = joinText(texts) === "" ? placeholder(media) : flattenParts(texts);
        converted.push({ role, content: told, tool_call_id: callId });
        if (media.length > 0) {
          toolMedia.push(
            { type: "text", text: `${nameOf(media)} in the result of tool call ${callId}:` },
            ...media,
          );
        }
      }
    }
  });
  endToolResults();
  if (problems.length > 0) throw new InvalidRequestError(problems);
  return withInstructions(converted, options.formatInstructions);
}

function roleOf(message: BaseMessage): Role | undefined {
  return ROLES[message.type === "generic" ? String((message as { role?: unknown }).role) : message.type];
}

function lastUserIndex(messages: readonly BaseMessage[]): number {
  for (let index = messages.length - 1; index >= 0; index--) {
    if (roleOf(messages[index] as BaseMessage) === "user") return index;
  }
  return -1;
}

function placeholder(media: readonly ContentPart[]): string {
  return media.length > 0 ? `The result is in the ${nameOf(media).toLowerCase()} that follow.` : "";
}

function nameOf(media: readonly ContentPart[]): string {
  return media.every(({ type }) => type === "image_url") ? "Images" : "Files";
}

/** Behind the user's own system message, or as a system message where there is none. */
function withInstructions(messages: ChatMessage[], instructions: string | undefined): ChatMessage[] {
  if (instructions === undefined) return messages;
  const [first, ...rest] = messages;
  if (first?.role !== "system") return [{ role: "system", content: instructions }, ...messages];
  const { content } = first;
  const added =
    typeof content === "string"
      ? `${content}\n\n${instructions}`
      : [...content, { type: "text" as const, text: instructions }];
  return [{ ...first, content: added }, ...rest];
}
