import type { Attributes } from "@opentelemetry/api";
import type { TracedCall } from "../hooks/tracer.js";

/** Longest text of a message that goes into a span, in characters: pictures in Base64 stay out. */
const MAX_TEXT_LENGTH = 16_384;

/** What was asked in a chat, in the form of the conventions. */
export function contentOfRequest({ body }: TracedCall): Attributes {
  const { messages } = (body ?? {}) as { messages?: unknown };
  if (!Array.isArray(messages)) return {};
  return { "gen_ai.input.messages": JSON.stringify(messages.map((message) => messageOf(message))) };
}

/** What was answered in a chat, in the form of the conventions. */
export function contentOfAnswer(result: unknown): Attributes {
  const { choices } = (result ?? {}) as { choices?: unknown };
  if (!Array.isArray(choices)) return {};
  const messages = choices.map((choice) => ({
    ...messageOf(choice?.message),
    finish_reason: choice?.finish_reason ?? null,
  }));
  return { "gen_ai.output.messages": JSON.stringify(messages) };
}

interface Message {
  role?: unknown;
  content?: unknown;
  reasoning_content?: unknown;
  tool_calls?: ReadonlyArray<{ id?: unknown; function?: { name?: unknown; arguments?: unknown } }>;
  tool_call_id?: unknown;
}

function messageOf(message: Message | null | undefined): { role: unknown; parts: object[] } {
  const { role = "assistant", content, reasoning_content, tool_calls, tool_call_id } = message ?? {};
  const parts: object[] = [];
  if (typeof reasoning_content === "string")
    parts.push({ type: "reasoning", content: shortened(reasoning_content) });
  if (role === "tool")
    parts.push({ type: "tool_call_response", id: tool_call_id, response: textOf(content) });
  else if (typeof content === "string") parts.push({ type: "text", content: shortened(content) });
  else if (Array.isArray(content)) parts.push(...content.map(partOf));
  for (const call of Array.isArray(tool_calls) ? tool_calls : []) {
    const { name, arguments: given } = call?.function ?? {};
    parts.push({ type: "tool_call", id: call?.id, name, arguments: textOf(given) });
  }
  return { role, parts };
}

/** Parts that are no text by their type alone. */
function partOf(part: { type?: unknown; text?: unknown } | null): object {
  if (typeof part?.text === "string") return { type: "text", content: shortened(part.text) };
  return { type: String(part?.type ?? "unknown") };
}

function textOf(value: unknown): string {
  return shortened(typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
}

function shortened(text: string): string {
  return text.length <= MAX_TEXT_LENGTH ? text : `${text.slice(0, MAX_TEXT_LENGTH)}…`;
}
