import { tokenize } from "../language/tokenize.js";
import type { ChatRequest } from "./chat-request.js";
import type { ComposedToolCall, LimitedReply, Reply } from "./reply.js";

/** Applies stop sequences and the token limit: first the reasoning uses it up, then the content, then the calls. */
export function limitReply(reply: Reply, { stop, maxTokens }: ChatRequest): LimitedReply {
  let left = maxTokens;
  let cut = false;
  const take = (text: string): { text: string; tokens: number } => {
    const tokens = tokenize(text);
    if (tokens.length <= left) {
      left -= tokens.length;
      return { text, tokens: tokens.length };
    }
    cut = true;
    // A piece of a run of letters is made of other tokens than the run.
    const kept = tokens.slice(0, left).join("");
    left = 0;
    return { text: kept, tokens: tokenize(kept).length };
  };

  const reasoning = reply.reasoning === undefined ? undefined : take(reply.reasoning);
  const content = reply.content === null ? undefined : take(beforeStop(reply.content, stop));
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
    const { text, tokens } = take(call.arguments);
    callTokens += tokens + nameTokens;
    toolCalls.push({ name: call.name, arguments: text });
  }
  const reasoningTokens = reasoning?.tokens ?? 0;
  return {
    content: content?.text ?? null,
    reasoning: reasoning?.text,
    toolCalls,
    finishReason: cut ? "length" : toolCalls.length > 0 ? "tool_calls" : "stop",
    reasoningTokens,
    completionTokens: reasoningTokens + (content?.tokens ?? 0) + callTokens,
  };
}

function beforeStop(content: string, stop: readonly string[]): string {
  const ends = stop.map((sequence) => content.indexOf(sequence)).filter((index) => index >= 0);
  return ends.length === 0 ? content : content.slice(0, Math.min(...ends));
}
