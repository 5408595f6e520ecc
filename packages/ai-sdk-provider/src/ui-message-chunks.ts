import type { UIMessageStream } from "./ui-message-stream.js";
import { UIStreamError } from "./ui-stream-error.js";

interface Chunk {
  type: string;
  errorText?: unknown;
}

/**
 * The chunks of an answer, to be read once. One that is stopped is read to its end all the same: only then does the SDK call
 * `onEnd`, where applications save it.
 */
export class UIMessageChunks implements AsyncIterableIterator<Chunk> {
  readonly #read: () => Promise<Chunk | undefined>;
  readonly #leave: () => Promise<unknown>;
  readonly #waitUntil: ((work: Promise<void>) => void) | undefined;
  #errorText: string | undefined;

  /** @param waitUntil is told of what is done after the answer was stopped */
  constructor(stream: UIMessageStream, waitUntil?: (work: Promise<void>) => void) {
    // Not every runtime can iterate over streams of the web.
    const source = "getReader" in stream ? stream.getReader() : stream[Symbol.asyncIterator]();
    this.#read = async () => {
      const { done, value } = await ("read" in source ? source.read() : source.next());
      return done === true ? undefined : (value as Chunk);
    };
    this.#leave = async () => ("cancel" in source ? source.cancel() : source.return?.());
    this.#waitUntil = waitUntil;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** @throws UIStreamError at the end of an answer with an `error` chunk: nobody is to take it for whole */
  async next(): Promise<IteratorResult<Chunk>> {
    for (;;) {
      const chunk = await this.#read();
      if (chunk === undefined) break;
      if (chunk.type === "error") this.#errorText ??= String(chunk.errorText ?? "");
      // What follows an error is read by no page.
      if (this.#errorText === undefined) return { done: false, value: chunk };
    }
    if (this.#errorText !== undefined) throw new UIStreamError(this.#errorText);
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<Chunk>> {
    const rest = this.#drain();
    this.#waitUntil?.(rest);
    return { done: true, value: undefined };
  }

  /** To the chunk by which the SDK says that the call was aborted, which is its last. Never rejects. */
  async #drain(): Promise<void> {
    try {
      let chunk = await this.#read();
      while (chunk !== undefined && chunk.type !== "abort") chunk = await this.#read();
      await this.#leave();
    } catch {
      // It failed on its way: nothing is left of it.
    }
  }
}
