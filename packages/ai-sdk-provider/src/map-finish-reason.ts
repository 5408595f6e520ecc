import type { LanguageModelV4FinishReason } from "@ai-sdk/provider";

const FINISH_REASONS: Record<string, LanguageModelV4FinishReason["unified"]> = {
  stop: "stop",
  end_turn: "stop",
  stop_sequence: "stop",
  length: "length",
  max_tokens: "length",
  content_filter: "content-filter",
  safety: "content-filter",
  refusal: "content-filter",
  tool_calls: "tool-calls",
  tool_use: "tool-calls",
  function_call: "tool-calls",
  error: "error",
};

/**
 * The SDK's word for the end of a complete answer. One that does not say why it ended, and need not, has just ended.
 *
 * @param refused the model said that it will not answer; routes call that `stop`
 */
export function mapFinishReason(
  raw: string | null | undefined,
  { refused = false } = {},
): LanguageModelV4FinishReason {
  if (!raw) return { unified: refused ? "content-filter" : "stop", raw: undefined };
  return { unified: refused ? "content-filter" : (FINISH_REASONS[raw.toLowerCase()] ?? "other"), raw };
}
