import type { Usage } from "./chat-types.js";

/** Prompt tokens that came out of a cache, and that were written into one. */
export interface CacheTokens {
  read?: number;
  written?: number;
}

/** Reads the cache counts of a usage block, which routes name differently; what none tells is left out. */
export function readCacheTokens(usage: Usage | null | undefined): CacheTokens {
  const details = usage?.prompt_tokens_details;
  const read = firstCount(
    details?.cached_tokens,
    usage?.["prompt_cache_hit_tokens"],
    usage?.["cache_read_input_tokens"],
  );
  const written = firstCount(
    details?.["cache_write_tokens"],
    details?.["cache_creation_tokens"],
    details?.["cached_creation_tokens"],
    usage?.["cache_creation_input_tokens"],
  );
  return { ...(read !== undefined && { read }), ...(written !== undefined && { written }) };
}

function firstCount(...candidates: unknown[]): number | undefined {
  return candidates.find((value): value is number => typeof value === "number");
}
