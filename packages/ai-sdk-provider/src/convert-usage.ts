import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Usage } from "@model-gateway/core";

/** Token counts in the SDK's terms; what the gateway does not tell stays undefined. */
export function convertUsage(usage: Usage | null | undefined): LanguageModelV4Usage {
  const input = count(usage?.prompt_tokens);
  const output = count(usage?.completion_tokens);
  const details = usage?.prompt_tokens_details;
  const cacheRead = count(
    ...[details?.cached_tokens, usage?.["prompt_cache_hit_tokens"], usage?.["cache_read_input_tokens"]],
  );
  const cacheWrite = count(
    ...[details?.["cache_write_tokens"], details?.["cache_creation_tokens"]],
    ...[details?.["cached_creation_tokens"], usage?.["cache_creation_input_tokens"]],
  );
  const reasoning = count(usage?.completion_tokens_details?.reasoning_tokens);
  return {
    inputTokens: {
      total: input,
      noCache: input === undefined ? undefined : Math.max(0, input - (cacheRead ?? 0) - (cacheWrite ?? 0)),
      cacheRead,
      cacheWrite,
    },
    outputTokens: {
      total: output,
      text: output === undefined ? undefined : Math.max(0, output - (reasoning ?? 0)),
      reasoning,
    },
    // A usage block is JSON by origin.
    raw: (usage ?? undefined) as LanguageModelV4Usage["raw"],
  };
}

/** The first that is a number: routes name the same count differently. */
function count(...candidates: unknown[]): number | undefined {
  return candidates.find((value) => typeof value === "number") as number | undefined;
}
