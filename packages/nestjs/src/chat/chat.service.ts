import type {
  APIPromise,
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionRequest,
  ModelGateway,
  RequestOptions,
} from "@model-gateway/core";
import type { OnModuleDestroy } from "@nestjs/common";
import { Observable } from "rxjs";

/** Chat completions (`POST /chat/completions`). */
export class ChatService implements OnModuleDestroy {
  /** One per open stream; ended when the application closes. */
  private readonly streams = new Set<AbortController>();
  private closed = false;

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
    return new Observable((subscriber) => {
      const controller = new AbortController();
      if (this.closed) controller.abort(closing());
      this.streams.add(controller);
      const signals = options?.signal === undefined ? [] : [options.signal];
      const signal = AbortSignal.any([controller.signal, ...signals]);
      const forward = async () => {
        const chunks = await this.gateway.chat.completions.create(
          { ...body, stream: true },
          { ...options, signal },
        );
        for await (const chunk of chunks) subscriber.next(chunk);
      };
      forward().then(
        () => subscriber.complete(),
        (error) => subscriber.error(error),
      );
      return () => {
        this.streams.delete(controller);
        controller.abort();
      };
    });
  }

  onModuleDestroy(): void {
    this.closed = true;
    for (const controller of this.streams) controller.abort(closing());
  }
}

function closing(): Error {
  return new Error("The application is closing.");
}
