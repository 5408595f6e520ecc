import { tokenize } from "../language/tokenize.js";
import type { ChatRequest } from "./chat-request.js";
import type { ComposedToolCall, LimitedReply, Reply } from "./reply.js";

/** Applies stop sequences and the token limit: first the reasoning uses it up, then the content, then the calls. */
export function limitReply(reply: Reply, { stop, maxTokens }: ChatRequest): LimitedReply {
  let left = maxTokens;
  let cut = false;
  const take = (text: string): string => {
    const tokens = tokenize(text);
    if (tokens.length <= left) {
      left -= tokens.length;
      return text;
    }
    cut = true;
    const kept = tokens.slice(0, left).join("");
    left = 0;
    return kept;
  };

  const reasoning = reply.reasoning === undefined ? undefined : take(reply.reasoning);
  const reasoningTokens = reasoning === undefined ? 0 : tokenize(reasoning).length;
  const content = reply.content === null ? null : take(beforeStop(reply.content, stop));
  const toolCalls: ComposedToolCall[] = [];
  let callTokens = 0;
  for (const call of reply.toolCalls) {
    const nameTokens = tokenize(call.name).length;
    // A name is written whole or not at all.
    if (left <= nameTokens) {
      cut = true;
      break;
    }
    left -= nameTokens;
    const kept = { name: call.name, arguments: take(call.arguments) };
    callTokens += tokenize(kept.arguments).length + nameTokens;
    toolCalls.push(kept);
  }
  return {
    content,
    reasoning,
    toolCalls,
    finishReason: cut ? "length" : toolCalls.length > 0 ? "tool_calls" : "stop",
    reasoningTokens,
    completionTokens: reasoningTokens + tokenize(content ?? "").length + callTokens,
  };
}

function beforeStop(content: string, stop: readonly string[]): string {
  const ends = stop.map((sequence) => content.indexOf(sequence)).filter((index) => index >= 0);
  return ends.length === 0 ? content : content.slice(0, Math.min(...ends));
}
