/** What an answer says: text or bytes that are known whole, a stream, or nothing. */
export type AnswerBody = string | Uint8Array | ReadableStream<Uint8Array> | null;

/** What an answer is beside its body, as of the platform's `Response`. */
export interface AnswerInit {
  /** Default 200. */
  status?: number;
  headers?: HeadersInit;
}

/**
 * What is answered to a request, before it is known who asks: a socket, which takes text as it is, or a caller in this
 * process, who is given a `Response`. Making one of those for each call costs more than all the bookkeeping.
 */
export class Answer {
  readonly body: AnswerBody;
  readonly status: number;
  readonly headers: Headers;

  constructor(body: AnswerBody, { status = 200, headers }: AnswerInit = {}) {
    this.body = body;
    this.status = status;
    this.headers = new Headers(headers);
    if (typeof body === "string" && !this.headers.has("content-type")) {
      this.headers.set("content-type", "text/plain;charset=UTF-8");
    }
  }

  /** A value as JSON. */
  static json(value: unknown, init?: AnswerInit): Answer {
    const answer = new Answer(null, init);
    if (!answer.headers.has("content-type")) answer.headers.set("content-type", "application/json");
    return answer.withBody(JSON.stringify(value));
  }

  /** The same answer with another body. */
  withBody(body: AnswerBody): Answer {
    return new Answer(body, this);
  }

  /** The body as text; a stream is read to its end. @throws whatever its stream fails with */
  async text(): Promise<string> {
    if (typeof this.body === "string") return this.body;
    return this.toResponse().text();
  }

  /** The body as bytes; a stream is read to its end. @throws whatever its stream fails with */
  async bytes(): Promise<Uint8Array> {
    if (this.body instanceof Uint8Array) return this.body;
    return new Uint8Array(await this.toResponse().arrayBuffer());
  }

  /** Lets go of a body that nobody will read. */
  async cancel(): Promise<void> {
    if (this.body instanceof ReadableStream) await this.body.cancel();
  }

  /** The platform's own class, for a caller in this process. */
  toResponse(): Response {
    const { body, status, headers } = this;
    // A Response takes no shared memory.
    return new Response(body instanceof Uint8Array ? new Uint8Array(body) : body, { status, headers });
  }
}
