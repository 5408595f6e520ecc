import { ChatGenerationChunk } from "@langchain/core/outputs";
import type { ChatCompletion, ChatCompletionChunk, ToolCallUpdate } from "@model-gateway/core";
import {
  toAdditionalKwargs,
  toGenerationInfo,
  toMessageContent,
  toResponseMetadata,
} from "./convert-completion.js";
import { convertUsage } from "./convert-usage.js";
import { MODEL_PROVIDER } from "./model-provider.js";
import type { AnswerReading } from "./read-answer.js";
import { type Delta, StreamDeltaReader } from "./stream-delta-reader.js";
import { StreamedMessageChunk } from "./streamed-message-chunk.js";

/** Makes LangChain's message chunks out of the events of a stream. */
export class StreamChunkBuilder {
  private readonly reader: StreamDeltaReader;
  /** Indexes of calls whose id was told. */
  private readonly named = new Set<number>();

  constructor(private readonly reading: AnswerReading) {
    this.reader = new StreamDeltaReader(reading);
  }

  /** @returns undefined when the event adds nothing to the message */
  read(event: ChatCompletionChunk): ChatGenerationChunk | undefined {
    const delta = this.reader.read(event);
    return delta && this.toChunk(delta);
  }

  /**
   * The last chunks. The very last alone carries usage, finish reason and the rest: LangChain adds numbers up and
   * joins strings when it merges chunks.
   */
  finish(completion: ChatCompletion | undefined, requestId: string | undefined): ChatGenerationChunk[] {
    const rest = this.reader.readRest();
    const answer = this.reader.finish(completion);
    const unnamed = answer.calls.filter(({ index }) => !this.named.has(index));
    const last = new ChatGenerationChunk({
      text: "",
      message: StreamedMessageChunk.piece({
        ...this.messageId,
        content: toMessageContent("", answer.images),
        additional_kwargs: toAdditionalKwargs(answer, this.reading),
        response_metadata: toResponseMetadata(answer, requestId),
        tool_call_chunks: unnamed.map(({ index, id }) => ({ type: "tool_call_chunk", index, id, args: "" })),
        usage_metadata: convertUsage(answer.completion.usage),
      }),
      generationInfo: toGenerationInfo(answer),
    });
    return rest === undefined ? [last] : [this.toChunk(rest), last];
  }

  private toChunk({ text, reasoning, toolCalls }: Delta): ChatGenerationChunk {
    return new ChatGenerationChunk({
      text,
      message: StreamedMessageChunk.piece({
        ...this.messageId,
        content: text,
        additional_kwargs: reasoning === "" ? {} : { reasoning_content: reasoning },
        response_metadata: { model_provider: MODEL_PROVIDER },
        tool_call_chunks: toolCalls.map((update) => this.toToolCallChunk(update)),
      }),
    });
  }

  private get messageId(): { id?: string } {
    const id = this.reader.messageId;
    return id === undefined ? {} : { id };
  }

  private toToolCallChunk({ call: { index }, id, name, arguments: args }: ToolCallUpdate) {
    if (id !== undefined) this.named.add(index);
    return { type: "tool_call_chunk" as const, index, id, name, args };
  }
}
