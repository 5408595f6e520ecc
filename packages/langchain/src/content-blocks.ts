import type { AIMessage, AIMessageChunk, ContentBlock } from "@langchain/core/messages";
import { MODEL_PROVIDER } from "./model-provider.js";
import { readOutputImage, splitImages, toImageBlock } from "./output-images.js";

type Translate = (message: AIMessage | AIMessageChunk) => ContentBlock.Standard[];

/** LangChain's registry of block translators by `response_metadata.model_provider`; it has no typed way in. */
interface TranslatorRegistry {
  lc_block_translators_registry?: Map<
    string,
    { translateContent: Translate; translateContentChunk: Translate }
  >;
}

/**
 * Teaches LangChain's `message.contentBlocks` our messages. Called by the constructor of the chat model, not on
 * import, so that the package has no side effects; a process that only reads stored messages sees plain text.
 */
export function registerContentBlocks(): void {
  const registry = (globalThis as TranslatorRegistry).lc_block_translators_registry;
  registry?.set(MODEL_PROVIDER, {
    translateContent: toContentBlocks,
    translateContentChunk: toContentBlocks,
  });
}

/** The standard blocks of a message: reasoning, text and images in the order of the answer, tool calls. */
export function toContentBlocks(message: AIMessage | AIMessageChunk): ContentBlock.Standard[] {
  const reasoning = message.additional_kwargs?.["reasoning_content"];
  const content = typeof message.content === "string" ? splitImages(message.content) : message.content;
  const blocks: unknown[] = [];
  if (typeof reasoning === "string" && reasoning !== "") blocks.push({ type: "reasoning", reasoning });
  for (const block of content) blocks.push(...toStandardBlocks(block));
  for (const { id, name, args } of message.tool_calls ?? [])
    blocks.push({ type: "tool_call", id, name, args });
  for (const call of message.invalid_tool_calls ?? []) blocks.push({ ...call, type: "invalid_tool_call" });
  return blocks as ContentBlock.Standard[];
}

function toStandardBlocks(block: ContentBlock): ContentBlock[] {
  if (block.type === "text" && typeof block["text"] === "string") return splitImages(block["text"]);
  if (block.type !== "image_url") return [block];
  const image = readOutputImage(block);
  return image === undefined ? [block] : [toImageBlock(image.image_url.url)];
}
