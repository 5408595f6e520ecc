import type { UsageMetadata } from "@langchain/core/messages";
import { readCacheTokens, type Usage } from "@model-gateway/core";

/**
 * Token counts in LangChain's form. The detail objects are always there, if empty: LangChain adds them when it
 * merges streamed chunks, and a message must not differ by how it was read.
 */
export function convertUsage(usage: Usage | null | undefined): UsageMetadata | undefined {
  if (usage === null || usage === undefined) return undefined;
  const input = usage.prompt_tokens ?? 0;
  const output = usage.completion_tokens ?? 0;
  const prompt = usage.prompt_tokens_details ?? {};
  const completion = usage.completion_tokens_details ?? {};
  const cache = readCacheTokens(usage);
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: usage.total_tokens ?? input + output,
    input_token_details: pickNumbers({
      text: prompt["text_tokens"],
      audio: prompt["audio_tokens"],
      image: prompt["image_tokens"],
      video: prompt["video_tokens"],
      cache_read: cache.read,
      cache_creation: cache.written,
    }),
    output_token_details: pickNumbers({
      text: completion["text_tokens"],
      audio: completion["audio_tokens"],
      image: completion["image_tokens"],
      reasoning: completion.reasoning_tokens,
    }),
  };
}

/**
 * Token counts where callbacks read them (`llmOutput.tokenUsage`). The property is not enumerable: LangChain copies
 * what is into `response_metadata` of messages it did not stream, and only of those.
 */
export function toLLMOutput(usage: UsageMetadata | undefined): Record<string, unknown> {
  const output = {};
  if (usage === undefined) return output;
  return Object.defineProperty(output, "tokenUsage", {
    value: {
      promptTokens: usage.input_tokens,
      completionTokens: usage.output_tokens,
      totalTokens: usage.total_tokens,
    },
  });
}

function pickNumbers(values: Record<string, unknown>): Record<string, number> {
  const numbers: Record<string, number> = {};
  for (const [name, value] of Object.entries(values)) if (typeof value === "number") numbers[name] = value;
  return numbers;
}
