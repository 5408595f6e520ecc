import type { BaseMessageLike } from "@langchain/core/messages";

/**
 * Call option under which the images of a prompt reach the cache key. A symbol, so that it is neither sent nor
 * traced: images are large.
 */
export const CACHED_IMAGES: unique symbol = Symbol("images of the prompt, for the cache key");

/** LangChain's cache keys hold the text of a prompt only; two pictures with one question would share an answer. */
export function imagesForCacheKey(prompts: readonly BaseMessageLike[][]): string | undefined {
  const blocks = prompts.flat().flatMap((message) => {
    const content: unknown = (message as { content?: unknown }).content;
    return Array.isArray(content) ? content.filter((block) => block?.type !== "text") : [];
  });
  return blocks.length === 0 ? undefined : JSON.stringify(blocks);
}
