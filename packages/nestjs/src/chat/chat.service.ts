import type {
  APIPromise,
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionRequest,
  ModelGateway,
  RequestOptions,
} from "@model-gateway/core";
import type { OnModuleDestroy } from "@nestjs/common";
import type { Observable } from "rxjs";
import type { KeyedStreamOptions } from "../streams/keyed-stream-options.js";
import type { KeyedStreams } from "../streams/keyed-streams.js";
import { OpenStreams } from "../streams/open-streams.js";

/** Chat completions (`POST /chat/completions`). */
export class ChatService implements OnModuleDestroy {
  private readonly streams = new OpenStreams();

  constructor(
    private readonly gateway: ModelGateway,
    private readonly keyedStreams: KeyedStreams,
  ) {}

  /** Creates a completion. Errors are core's; `withResponse()` on the promise gives the head of the answer. */
  create(
    body: ChatCompletionRequest & { stream?: false },
    options?: RequestOptions,
  ): APIPromise<ChatCompletion> {
    return this.gateway.chat.completions.create(body, options);
  }

  /**
   * The chunks of a streamed completion. Each subscription sends a request of its own; unsubscribing aborts it,
   * so that nobody pays for tokens that nobody reads. Ends with core's errors, and with `APIUserAbortError`
   * when the application closes.
   *
   * With a `key`, all subscriptions read one stream, which the first begins and pays for; whoever comes later gets it whole,
   * or after `from`. Unsubscribing leaves it running. Every reader sees the same end: a broken stream's is a
   * `KeyedStreamError`, with the `kind` of core's error. Anybody who knows the key reads the answer.
   */
  stream$(
    body: Omit<ChatCompletionRequest, "stream">,
    { key, from, ...options }: RequestOptions & KeyedStreamOptions = {},
  ): Observable<ChatCompletionChunk> {
    const open = (signal: AbortSignal) =>
      this.gateway.chat.completions.create({ ...body, stream: true }, { ...options, signal });
    if (key === undefined) return this.streams.observe(open, options.signal);
    return this.keyedStreams.observe({
      ...{ key: chatKey(key), from, signal: options.signal, open },
      revive: (chunk) => chunk as ChatCompletionChunk,
    });
  }

  /**
   * Ends the stream with this key at once, for all its readers and in whichever process its call is made.
   *
   * @returns whether it was running
   * @throws KeyedStreamError when the store does not answer
   */
  stop(key: string): Promise<boolean> {
    return this.keyedStreams.stop(chatKey(key));
  }

  onModuleDestroy(): Promise<void> {
    return this.streams.close();
  }
}

/** Keys of images are others. */
function chatKey(key: string): string {
  return `chat:${key}`;
}
