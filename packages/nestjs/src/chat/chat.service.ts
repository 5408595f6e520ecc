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
import { OpenStreams } from "../streams/open-streams.js";

/** Chat completions (`POST /chat/completions`). */
export class ChatService implements OnModuleDestroy {
  private readonly streams = new OpenStreams();

  constructor(private readonly gateway: ModelGateway) {}

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
   */
  stream$(
    body: Omit<ChatCompletionRequest, "stream">,
    options?: RequestOptions,
  ): Observable<ChatCompletionChunk> {
    return this.streams.observe(
      (signal) => this.gateway.chat.completions.create({ ...body, stream: true }, { ...options, signal }),
      options?.signal,
    );
  }

  onModuleDestroy(): Promise<void> {
    return this.streams.close();
  }
}
