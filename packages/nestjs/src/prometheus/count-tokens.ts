import { readCacheTokens, type Usage } from "@model-gateway/core";

/**
 * The tokens that an answer tells of, by what they are. `cached` are part of `input`, `reasoning` part of `output`: a sum over
 * all counts them twice.
 */
export function countTokens(usage: unknown): Array<[type: string, count: number]> {
  if (typeof usage !== "object" || usage === null) return [];
  const { prompt_tokens, input_tokens, completion_tokens, output_tokens, ...rest } = usage as Usage;
  const counts: Array<[string, unknown]> = [
    ["input", prompt_tokens ?? input_tokens],
    ["output", completion_tokens ?? output_tokens],
    ["cached", readCacheTokens(usage as Usage).read],
    ["reasoning", rest.completion_tokens_details?.reasoning_tokens],
  ];
  // A counter cannot go down, and a route may send anything.
  return counts.filter(
    (entry): entry is [string, number] => Number.isFinite(entry[1]) && Number(entry[1]) > 0,
  );
}
