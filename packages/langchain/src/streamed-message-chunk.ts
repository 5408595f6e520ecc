import { AIMessageChunk, type AIMessageChunkFields } from "@langchain/core/messages";
import { readToolCalls } from "./read-tool-call.js";

/**
 * A chunk of a streamed answer. While the answer grows, LangChain completes half-written tool arguments so that
 * they can be shown. Once the answer is finished that must not happen any more: a call that was cut off would
 * run with half of its arguments. A chunk that knows the finish reason therefore reads its calls strictly.
 */
export class StreamedMessageChunk extends AIMessageChunk {
  // Merging goes through the constructor: chunks and their sums are all of this class.
  constructor(fields: AIMessageChunkFields) {
    super(fields);
    const { tool_call_chunks: chunks = [], response_metadata: metadata } = this;
    if (chunks.length > 0 && metadata["finish_reason"] !== undefined)
      Object.assign(this, readToolCalls(chunks));
  }

  /** Stored as the class that every LangChain process can load. */
  override get lc_id(): string[] {
    return [...this.lc_namespace, AIMessageChunk.lc_name()];
  }
}
