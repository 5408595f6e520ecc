import { ChatGenerationChunk } from "@langchain/core/outputs";
import type { ChatCompletionChunk } from "@model-gateway/core";
import { toMessageContent, toResponseMetadata } from "./convert-completion.js";
import { convertUsage } from "./convert-usage.js";
import { MODEL_PROVIDER } from "./model-provider.js";
import { StreamDeltaReader, type ToolCallFragment } from "./stream-delta-reader.js";
import { StreamedMessageChunk } from "./streamed-message-chunk.js";

/** Makes LangChain's message chunks out of the events of a stream. */
export class StreamChunkBuilder {
  private readonly reader: StreamDeltaReader;

  constructor(requestedModel: string) {
    this.reader = new StreamDeltaReader(requestedModel);
  }

  /** @returns undefined when the event adds nothing to the message */
  read(event: ChatCompletionChunk): ChatGenerationChunk | undefined {
    const delta = this.reader.read(event);
    if (delta === undefined) return undefined;
    const { text, reasoning, toolCalls } = delta;
    return new ChatGenerationChunk({
      text,
      message: new StreamedMessageChunk({
        id: this.reader.messageId,
        content: text,
        additional_kwargs: reasoning === "" ? {} : { reasoning_content: reasoning },
        response_metadata: { model_provider: MODEL_PROVIDER },
        tool_call_chunks: toolCalls.map(toToolCallChunk),
      }),
    });
  }

  /**
   * The last chunk. It alone carries usage, finish reason and the rest: LangChain adds numbers up and joins
   * strings when it merges chunks.
   */
  finish(): ChatGenerationChunk {
    const { facts, messageId, images, usage } = this.reader;
    return new ChatGenerationChunk({
      text: "",
      message: new StreamedMessageChunk({
        id: messageId,
        content: toMessageContent("", images),
        response_metadata: toResponseMetadata(facts),
        tool_call_chunks: this.reader.missingIds().map(toToolCallChunk),
        usage_metadata: convertUsage(usage),
      }),
      generationInfo: facts.finishReason ? { finish_reason: facts.finishReason } : {},
    });
  }
}

function toToolCallChunk({ index, id, name, args }: ToolCallFragment) {
  return { type: "tool_call_chunk" as const, index, id, name, args };
}
