import type { OpenStream } from "../call/open-stream.js";
import type { Cost } from "../costs/cost.js";
import type { ChatCompletion, ChatCompletionChunk } from "./chat-types.js";
import type { CompletionAccumulator } from "./completion-accumulator.js";

/**
 * A streamed answer. Iterate it for the chunks; leaving the loop early closes the connection. It can be read
 * once: by `for await`, `batches()`, `toReadableStream()` or `finalCompletion()`.
 *
 * Iteration throws `StreamInterruptedError` when the stream breaks (`partial` holds what had arrived), the
 * matching `APIError` when the gateway reports an error inside the stream, `APIUserAbortError` on abort.
 */
export class ChatCompletionStream implements AsyncIterable<ChatCompletionChunk> {
  /** What the call cost, when the stream has come to its proper end, where the client has `prices`. */
  declare readonly cost?: Cost;

  constructor(
    private readonly source: OpenStream<ChatCompletionChunk>,
    private readonly accumulator: CompletionAccumulator,
  ) {}

  [Symbol.asyncIterator](): AsyncIterator<ChatCompletionChunk> {
    return this.source.queue;
  }

  /** The chunks in the groups they arrived in: much cheaper than one by one where the reader can take several. */
  batches(): AsyncIterableIterator<ChatCompletionChunk[]> {
    const { queue } = this.source;
    return {
      async next() {
        const batch = await queue.nextBatch();
        return batch === undefined ? { value: undefined, done: true } : { value: batch, done: false };
      },
      async return() {
        await queue.return();
        return { value: undefined, done: true };
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  /** Reads what is left and returns the whole answer. The chunks read before are part of it. */
  async finalCompletion(): Promise<ChatCompletion> {
    for await (const _batch of this.batches());
    const { cost } = this;
    return { ...(this.accumulator.partial() as ChatCompletion), ...(cost && { cost }) };
  }

  /** The chunks as newline-separated JSON in UTF-8, ready to be the body of a `Response`. */
  toReadableStream(): ReadableStream<Uint8Array> {
    const { queue } = this.source;
    const encoder = new TextEncoder();
    return new ReadableStream({
      async pull(controller) {
        const batch = await queue.nextBatch();
        if (batch === undefined) controller.close();
        else controller.enqueue(encoder.encode(batch.map((chunk) => `${JSON.stringify(chunk)}\n`).join("")));
      },
      async cancel() {
        await queue.return();
      },
    });
  }

  /** Closes the connection; a reader gets an `APIUserAbortError`. */
  abort(reason?: unknown): void {
    this.source.abort(reason);
  }
}
