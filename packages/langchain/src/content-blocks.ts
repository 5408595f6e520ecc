import { type AIMessage, AIMessageChunk, type ContentBlock } from "@langchain/core/messages";
import { MODEL_PROVIDER } from "./model-provider.js";
import { readOutputImage, splitImages, toImageBlock } from "./output-images.js";
import { readAnnotations } from "./read-annotations.js";
import { StreamedMessageChunk } from "./streamed-message-chunk.js";
import { readToolCallExtras } from "./tool-call-extras.js";

type Message = AIMessage | AIMessageChunk;
type Translate = (message: Message) => ContentBlock.Standard[];

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

/**
 * The standard blocks of a message: reasoning, text and images in the order of the answer, refusal, audio, tool calls.
 * What a route sends beside, and may want back, is in `extras` of the block it belongs to.
 */
export function toContentBlocks(message: Message): ContentBlock.Standard[] {
  if (isGrowing(message)) return toGrowingBlocks(message as AIMessageChunk);
  const kwargs = message.additional_kwargs ?? {};
  const content = typeof message.content === "string" ? splitImages(message.content) : message.content;
  const blocks = toReasoningBlocks(kwargs);
  for (const block of content) blocks.push(...toStandardBlocks(block));
  addToText(blocks, kwargs);
  blocks.push(...toRefusalBlocks(kwargs), ...toAudioBlocks(kwargs));
  for (const call of message.tool_calls ?? []) {
    const { id, name, args } = call;
    blocks.push({ type: "tool_call", id, name, args, ...extrasOf(message, id) });
  }
  for (const call of message.invalid_tool_calls ?? [])
    blocks.push({ ...call, type: "invalid_tool_call", ...extrasOf(message, call.id) });
  return blocks as ContentBlock.Standard[];
}

/** A sum of chunks is finished once it holds the last one, which alone names the model. */
function isGrowing(message: Message): boolean {
  if (!AIMessageChunk.isInstance(message)) return false;
  return StreamedMessageChunk.isPiece(message) || message.response_metadata["model_name"] === undefined;
}

/**
 * The blocks of a piece of an answer. They carry an index, by which LangChain joins the pieces of one block; what
 * only the whole answer can tell (an image in the text, the arguments of a call) is not read yet.
 */
function toGrowingBlocks(message: AIMessageChunk): ContentBlock.Standard[] {
  const { additional_kwargs: kwargs, content, tool_call_chunks: calls = [] } = message;
  const text = typeof content === "string" ? content : "";
  const blocks = toReasoningBlocks(kwargs).map((block) => ({ ...block, index: 0 }) as ContentBlock);
  if (text !== "") blocks.push({ type: "text", text });
  if (typeof content !== "string") for (const block of content) blocks.push(...toStandardBlocks(block));
  addToText(blocks, kwargs);
  for (const block of blocks) if (block.type === "text") block["index"] = 0;
  blocks.push(...toRefusalBlocks(kwargs), ...toAudioBlocks(kwargs));
  for (const call of calls) blocks.push({ ...call, type: "tool_call_chunk" });
  return blocks as ContentBlock.Standard[];
}

type Kwargs = Record<string, unknown>;

function toReasoningBlocks({
  reasoning_content: reasoning,
  reasoning_details: details,
}: Kwargs): ContentBlock[] {
  const text = typeof reasoning === "string" ? reasoning : "";
  if (text === "" && details === undefined) return [];
  const extras = details === undefined ? {} : { extras: { reasoning_details: details } };
  return [{ type: "reasoning", reasoning: text, ...extras }];
}

/** Citations belong to the text, whose positions they name; so does a signature of the whole message. */
function addToText(blocks: ContentBlock[], { annotations, extra_content: extraContent }: Kwargs): void {
  const read = readAnnotations(annotations);
  if (read.length === 0 && extraContent === undefined) return;
  let block = blocks.find(({ type }) => type === "text");
  if (block === undefined) {
    block = { type: "text", text: "" };
    blocks.push(block);
  }
  if (read.length > 0) block["annotations"] = read;
  if (extraContent !== undefined) block["extras"] = { extra_content: extraContent };
}

function toRefusalBlocks({ refusal }: Kwargs): ContentBlock[] {
  return typeof refusal === "string" && refusal !== "" ? [{ type: "refusal", refusal }] : [];
}

function toAudioBlocks({ audio }: Kwargs): ContentBlock[] {
  const { id, data, transcript } = (audio ?? {}) as Record<string, unknown>;
  if (typeof data !== "string" || data === "") return [];
  const metadata = transcript === undefined ? {} : { metadata: { transcript } };
  return [
    {
      type: "audio",
      mimeType: sniffAudioType(data),
      data,
      ...(typeof id === "string" ? { id } : {}),
      ...metadata,
    },
  ];
}

/** First characters that the file signatures give in Base64; raw samples have none. */
const AUDIO_SIGNATURES: ReadonlyArray<[start: string, mediaType: string]> = [
  ["UklGR", "audio/wav"],
  ["SUQz", "audio/mpeg"],
  ["//", "audio/mpeg"],
  ["T2dnUw", "audio/ogg"],
  ["ZkxhQ", "audio/flac"],
];

function sniffAudioType(base64: string): string {
  return AUDIO_SIGNATURES.find(([start]) => base64.startsWith(start))?.[1] ?? "audio/pcm";
}

function extrasOf(message: Message, callId: string | undefined): { extras?: Kwargs } {
  const extras = readToolCallExtras(message as AIMessage, callId);
  return extras === undefined ? {} : { extras };
}

function toStandardBlocks(block: ContentBlock): ContentBlock[] {
  if (block.type === "text" && typeof block["text"] === "string") return splitImages(block["text"]);
  if (block.type !== "image_url") return [{ ...block }];
  const image = readOutputImage(block);
  return image === undefined ? [block] : [toImageBlock(image.image_url.url)];
}
