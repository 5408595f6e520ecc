import { AIMessage, AIMessageChunk, type AIMessageChunkFields } from "@langchain/core/messages";
import { convertToolCalls } from "./convert-tool-call.js";

/**
 * A piece of a streamed answer, or a sum of pieces. While the answer grows, LangChain completes half-written tool
 * arguments so that they can be shown. Once the answer is over that must not happen any more: a call that was cut off
 * would run with half of its arguments. A sum that holds the end of the answer therefore reads its calls strictly, and
 * is stored with the calls so read.
 */
export class StreamedMessageChunk extends AIMessageChunk {
  readonly #isPiece: boolean;

  // Merging goes through the constructor: sums are of this class too.
  constructor(fields: AIMessageChunkFields, isPiece = false) {
    super(fields);
    this.#isPiece = isPiece;
    if (this.isWhole && this.tool_call_chunks !== undefined) {
      const readings = this.tool_call_chunks.map(({ id, name, args = "" }) => ({
        id,
        name,
        arguments: args,
      }));
      Object.assign(this, convertToolCalls(readings, this.response_metadata["finish_reason"]));
    }
  }

  /** A piece as it came, which the last one of an answer is too. */
  static piece(fields: AIMessageChunkFields): StreamedMessageChunk {
    return new StreamedMessageChunk(fields, true);
  }

  static isPiece(message: object): boolean {
    return #isPiece in message && message.#isPiece;
  }

  /** Only the last piece names the model. */
  private get isWhole(): boolean {
    return !this.#isPiece && this.response_metadata["model_name"] !== undefined;
  }

  /** Stored as a class that every LangChain process can load: a sum that is whole as a message that grows no more. */
  override get lc_id(): string[] {
    return [...this.lc_namespace, this.isStoredWhole ? AIMessage.lc_name() : AIMessageChunk.lc_name()];
  }

  override toJSON(): ReturnType<AIMessageChunk["toJSON"]> {
    const stored = super.toJSON();
    if (!this.isStoredWhole || !("kwargs" in stored)) return stored;
    // Whoever loads the pieces of a call would complete them.
    const { tool_call_chunks: _pieces, ...kwargs } = stored.kwargs as Record<string, unknown>;
    return { ...stored, kwargs };
  }

  private get isStoredWhole(): boolean {
    return this.isWhole && (this.tool_call_chunks?.length ?? 0) > 0;
  }
}
