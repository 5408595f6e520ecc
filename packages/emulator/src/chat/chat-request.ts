import { isRecord } from "../json/is-record.js";

export const CHAT_ROLES = ["system", "user", "assistant", "tool"] as const;
export type ChatRole = (typeof CHAT_ROLES)[number];

export interface ToolCall {
  id: string;
  name: string;
  /** JSON text. */
  arguments: string;
}

/** A message with its parts sorted. */
export interface ChatMessage {
  role: ChatRole;
  /** All text parts, in order. */
  text: string;
  /** URLs of the image parts. */
  images: string[];
  toolCalls: ToolCall[];
  toolCallId?: string;
}

export interface ToolDefinition {
  name: string;
  description: string;
  /** A JSON schema, as the client sent it. */
  parameters: unknown;
}

export type ToolChoice = "auto" | "none" | "required" | { name: string };

export type ResponseFormat =
  | { type: "text" }
  | { type: "json_object" }
  | { type: "json_schema"; schema: unknown };

/** A body of `POST /chat/completions` that passed every check. */
export interface ChatRequest {
  model: string;
  messages: ChatMessage[];
  tools: ToolDefinition[];
  toolChoice: ToolChoice;
  parallelToolCalls: boolean;
  responseFormat: ResponseFormat;
  stream: boolean;
  includeUsage: boolean;
  /** The smaller of `max_tokens` and `max_completion_tokens`. */
  maxTokens: number;
  stop: string[];
  /** How many choices to answer. */
  count: number;
  seed?: number;
  logprobs: boolean;
}

/** The text of a message's `content` as it came over the wire; empty when it is none. */
export function textOfContent(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: unknown) => (isRecord(part) && typeof part["text"] === "string" ? part["text"] : ""))
    .filter((text) => text !== "")
    .join("\n");
}

/** The text of the last user message of a body, checked or not, in which prompt markers count. */
export function lastUserText(body: unknown): string {
  const messages = isRecord(body) ? body["messages"] : undefined;
  if (!Array.isArray(messages)) return "";
  const last = messages.findLast((message: unknown) => isRecord(message) && message["role"] === "user");
  return isRecord(last) ? textOfContent(last["content"]) : "";
}

/** Which answer of its conversation a body, checked or not, asks for, and which tool's result it ends with. */
export function conversationOf(body: unknown): { turn: number; tool: string | undefined } {
  const given = isRecord(body) && Array.isArray(body["messages"]) ? body["messages"] : [];
  const messages = given.filter((message: unknown) => isRecord(message));
  const answers = messages.filter(({ role }) => role === "assistant");
  const last = messages.at(-1);
  const callId = last?.["role"] === "tool" ? last["tool_call_id"] : undefined;
  const calls = answers.flatMap(({ tool_calls }) => (Array.isArray(tool_calls) ? tool_calls : []));
  const call: unknown = calls.findLast((each: unknown) => isRecord(each) && each["id"] === callId);
  const called = isRecord(call) && isRecord(call["function"]) ? call["function"]["name"] : undefined;
  return {
    turn: answers.length + 1,
    tool: callId !== undefined && typeof called === "string" ? called : undefined,
  };
}
