import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Usage } from "@model-gateway/core";
import { readCacheTokens } from "@model-gateway/core/chat";

/** Token counts in the SDK's terms; what the gateway does not tell stays undefined. */
export function convertUsage(usage: Usage | null | undefined): LanguageModelV4Usage {
  const input = count(usage?.prompt_tokens);
  const output = count(usage?.completion_tokens);
  const { read: cacheRead, written: cacheWrite } = readCacheTokens(usage);
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

function count(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
