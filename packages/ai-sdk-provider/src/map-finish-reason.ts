import type { LanguageModelV4FinishReason } from "@ai-sdk/provider";

const FINISH_REASONS: Record<string, LanguageModelV4FinishReason["unified"]> = {
  stop: "stop",
  length: "length",
  max_tokens: "length",
  content_filter: "content-filter",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
};

/** @param hasToolCalls some routes end an answer that calls tools with `stop` */
export function mapFinishReason(
  raw: string | null | undefined,
  hasToolCalls: boolean,
): LanguageModelV4FinishReason {
  const unified = FINISH_REASONS[raw ?? ""] ?? "other";
  return { unified: hasToolCalls && unified === "stop" ? "tool-calls" : unified, raw: raw ?? undefined };
}

/** Whether a tool call without arguments lost them to the output limit, and must not be run as if it had none. */
export function isCutOff(input: string, rawFinishReason: string | null | undefined): boolean {
  return input.trim() === "" && mapFinishReason(rawFinishReason, false).unified === "length";
}
