import type { AIMessage, BaseMessage, ToolMessage } from "@langchain/core/messages";
import {
  type AssistantMessage,
  type ChatMessage,
  type ContentPart,
  InvalidRequestError,
  type RequestProblem,
  type TextPart,
  type ToolCall,
} from "@model-gateway/core";
import { convertContentBlock } from "./convert-content-parts.js";

export interface ConvertMessagesOptions {
  /** Send the reasoning of an unfinished tool loop back to the model. */
  reasoningRoundTrip: boolean;
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

/**
 * Converts a LangChain conversation to the gateway's messages. The roles are system, user, assistant and tool;
 * images in tool results move to a user message behind the results, since tool messages carry text only.
 *
 * @throws InvalidRequestError that lists every part the gateway has no place for (audio, video, files)
 */
export function convertMessages(
  messages: readonly BaseMessage[],
  options: ConvertMessagesOptions,
): ChatMessage[] {
  const problems: RequestProblem[] = [];
  const converted: ChatMessage[] = [];
  let toolImages: ContentPart[] = [];
  const flushToolImages = () => {
    if (toolImages.length > 0) converted.push({ role: "user", content: toolImages });
    toolImages = [];
  };
  // Reasoning goes back only where the model is still at work on the last question.
  const currentTurn = options.reasoningRoundTrip ? lastUserIndex(messages) : messages.length;

  messages.forEach((message, index) => {
    const role = roleOf(message);
    const field = `messages[${index}]`;
    if (role === undefined) {
      problems.push({
        field: `${field}.role`,
        message: "must be system, user, assistant or tool",
        value: message.type,
      });
      return;
    }
    if (role !== "tool") flushToolImages();
    const content = readContent(message, role, field, problems);
    const name = message.name === undefined || message.name === "" ? {} : { name: message.name };
    switch (role) {
      case "system":
        converted.push({ role, content: content.text, ...name });
        break;
      case "user":
        converted.push({ role, content: flatten(content.parts), ...name });
        break;
      case "assistant":
        converted.push({ ...convertAnswer(message as AIMessage, content, index > currentTurn), ...name });
        break;
      case "tool": {
        const images = content.parts.filter(({ type }) => type === "image_url");
        const callId = (message as ToolMessage).tool_call_id;
        converted.push({ role, content: content.text || placeholder(images), tool_call_id: callId });
        if (images.length > 0) {
          toolImages.push({ type: "text", text: `Images in the result of tool call ${callId}:` }, ...images);
        }
      }
    }
  });
  flushToolImages();
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

interface ReadContent {
  parts: ContentPart[];
  /** The text parts, joined as LangChain's `message.text` joins them. */
  text: string;
  reasoning: string;
}

function readContent(
  message: BaseMessage,
  role: Role,
  field: string,
  problems: RequestProblem[],
): ReadContent {
  const { content } = message;
  if (typeof content === "string")
    return { parts: [{ type: "text", text: content }], text: content, reasoning: "" };
  const read: ReadContent = { parts: [], text: "", reasoning: "" };
  content.forEach((block: unknown, position: number) => {
    const converted = convertContentBlock(block);
    switch (converted.kind) {
      case "part":
        if (converted.part.type === "text") read.text += converted.part.text;
        else if (role === "system") {
          problems.push({
            field: `${field}.content[${position}]`,
            message: "is an image: system messages carry text only",
          });
        }
        read.parts.push(converted.part);
        break;
      case "reasoning":
        read.reasoning += converted.reasoning;
        break;
      case "unsupported":
        // An answer of another provider may hold blocks of its own; they are no reason to refuse the history.
        if (role !== "assistant")
          problems.push({ field: `${field}.content[${position}]`, message: converted.reason });
    }
  });
  return read;
}

/** Text alone is sent as a string, the form that every route takes. */
function flatten(parts: ContentPart[]): string | ContentPart[] {
  const texts = parts.filter((part): part is TextPart => part.type === "text");
  return texts.length === parts.length ? texts.map(({ text }) => text).join("") : parts;
}

function convertAnswer(message: AIMessage, content: ReadContent, inToolLoop: boolean): AssistantMessage {
  const answer: AssistantMessage = { role: "assistant", content: flatten(content.parts) };
  const calls = message.tool_calls ?? [];
  if (calls.length === 0) return answer;
  answer.tool_calls = calls.map(
    ({ id, name, args }): ToolCall => ({
      id: id ?? "",
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    }),
  );
  const reasoning = message.additional_kwargs?.["reasoning_content"] ?? content.reasoning;
  if (inToolLoop && typeof reasoning === "string" && reasoning !== "") answer.reasoning_content = reasoning;
  return answer;
}

function placeholder(images: readonly ContentPart[]): string {
  return images.length > 0 ? "The result is in the images that follow." : "";
}

/** Behind the user's own system message, or as a system message where there is none. */
function withInstructions(messages: ChatMessage[], instructions: string | undefined): ChatMessage[] {
  if (instructions === undefined) return messages;
  const [first, ...rest] = messages;
  if (first?.role !== "system") return [{ role: "system", content: instructions }, ...messages];
  return [{ ...first, content: `${String(first.content)}\n\n${instructions}` }, ...rest];
}
