/** What a stream with a key is made of. */
export interface StreamSource {
  /** Sends the paid request; to be aborted with the signal. Its events are JSON. */
  open(signal: AbortSignal): PromiseLike<AsyncIterable<unknown>>;
  /**
   * Stands for what is asked: 1 to 16 hexadecimal digits. With it, a key is that of a conversation, and not of one
   * answer: a stream that is over makes way for the next, unless it is the whole answer to the same.
   */
  asked?: string;
  /** Whether even the whole answer to the same makes way. Default false. */
  anew?: boolean;
  /** Is told of the call that begins here; it settles when the last of it is written, and never rejects. */
  begun?(over: Promise<void>): void;
}
