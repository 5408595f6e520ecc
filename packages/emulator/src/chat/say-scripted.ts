import type { ScriptedReply } from "../api/scripted-reply.js";
import { countTokens } from "../language/tokenize.js";
import type { LimitedReply } from "./reply.js";

/** What a script says, as it stands: no limit of the request cuts it. */
export function sayScripted(scripted: ScriptedReply): LimitedReply {
  const { content, chunks, reasoning, toolCalls, finishReason, usage } = scripted;
  const reasoningTokens = countTokens(reasoning ?? "");
  const callTokens = toolCalls.map((call) => countTokens(call.name) + countTokens(call.arguments));
  const counted = callTokens.reduce(
    (sum, tokens) => sum + tokens,
    reasoningTokens + countTokens(content ?? ""),
  );
  return {
    content,
    ...(reasoning !== undefined && { reasoning }),
    ...(chunks !== undefined && { chunks }),
    toolCalls: [...toolCalls],
    finishReason: finishReason ?? (toolCalls.length > 0 ? "tool_calls" : "stop"),
    reasoningTokens,
    completionTokens: usage?.completionTokens ?? counted,
  };
}
