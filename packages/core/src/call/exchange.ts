import type { AsyncQueue } from "../streams/async-queue.js";
import type { BodyReader } from "../streams/body-reader.js";
import { looksLikeEvents } from "../streams/looks-like-events.js";
import type { StreamReader } from "../streams/stream-reader.js";
import type { ExchangeFailure, TimeLimit } from "../transport/exchange-failure.js";
import { joinBytes } from "../transport/join-bytes.js";
import type {
  ResponseHeaders,
  Transport,
  TransportExchange,
  TransportFailure,
  TransportRequest,
  TransportSink,
} from "../transport/transport.js";
import { onAbort } from "./abort-signal.js";
import type { Deadline } from "./call.js";
import { MAX_TIMER_MS } from "./delay.js";

/** How an attempt ended: with a whole answer, because its reader left, or by a failure. */
export type ExchangeEnd = "complete" | "left" | ExchangeFailure;

export interface ExchangeAnswer<T> {
  status: number;
  headers: ResponseHeaders;
  /** The whole body, for every answer that is not read as a stream. */
  text?: string;
  /** What has read it, where the call gave something for it. */
  body?: BodyReader;
  stream?: AsyncQueue<T>;
}

export interface ExchangeOptions<T> {
  /** Time until the answer is complete, for streams until its head, in milliseconds. */
  timeoutMs: number;
  /** Time until there is a connection, in milliseconds; holds where the transport can tell. */
  connectTimeoutMs: number;
  deadline?: Deadline;
  /** Longest silence between content events of a stream, in milliseconds. */
  idleTimeoutMs: number;
  /** Largest body that is kept in memory, in bytes. */
  maxBytes: number;
  signal?: AbortSignal;
  /** Reads a successful answer while it arrives, where it is no stream. */
  createBodyReader?: () => BodyReader;
  /** Given for calls that expect a stream; asked when a successful answer begins. */
  createReader?: (head: Pick<ExchangeAnswer<T>, "status" | "headers">) => StreamReader<T>;
  /** `events`: only an answer that is a stream of events is read as a stream; `any`: every successful one. */
  streams?: "events" | "any";
  /** Called once, when nothing more will be sent or received. */
  onSettled?: (end: ExchangeEnd) => void;
  /**
   * What limits a stream after its head: `idle` (default) each silence, `whole` the time until it is complete,
   * without the time in which its reader has paused it.
   */
  streamLimit?: "idle" | "whole";
}

/** Once a stream is complete the server gets this long to end it, so that the connection can be used again. */
const LINGER_MS = 1_000;
/** Error answers are messages: what comes after this many bytes of one is not read. */
const MAX_ERROR_BYTES = 2 ** 20;
/** A body shows within its first bytes whether it is a stream of events. */
const SNIFF_BYTES = 1024;

/**
 * Runs one attempt: one timer, one listener on the caller's signal, one promise. Resolves with any complete
 * answer whatever its status, and for streams with its head; rejects with an `ExchangeFailure`.
 */
export function runExchange<T>(
  transport: Transport,
  request: TransportRequest,
  options: ExchangeOptions<T>,
): Promise<ExchangeAnswer<T>> {
  return new Promise((resolve, reject) => {
    new Exchange(options, resolve, reject).start(transport, request);
  });
}

class Exchange<T> implements TransportSink {
  #status = 0;
  #headers!: ResponseHeaders;
  #exchange: TransportExchange | undefined;
  #reader: StreamReader<T> | undefined;
  #body: BodyReader | undefined;
  #chunks: Uint8Array[] = [];
  #size = 0;
  #settled = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastActivity = performance.now();
  #pausedAt = 0;
  #limitMs: number;
  #forgetSignal: (() => void) | undefined;
  readonly #options: ExchangeOptions<T>;
  readonly #resolve: (answer: ExchangeAnswer<T>) => void;
  readonly #reject: (failure: ExchangeFailure) => void;

  constructor(
    options: ExchangeOptions<T>,
    resolve: (answer: ExchangeAnswer<T>) => void,
    reject: (failure: ExchangeFailure) => void,
  ) {
    this.#options = options;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#limitMs = options.timeoutMs;
  }

  start(transport: Transport, request: TransportRequest): void {
    const { signal } = this.#options;
    if (signal?.aborted) {
      this.#fail({ kind: "aborted", cause: signal.reason, sent: false });
      return;
    }
    this.#forgetSignal = onAbort(signal, this.#onAbort);
    try {
      this.#exchange = transport.send(request, this);
    } catch (cause) {
      this.#fail({ kind: "unsent", cause });
      return;
    }
    if (this.#settled) this.#exchange.abort();
    else this.#arm();
  }

  head(status: number, headers: ResponseHeaders): void {
    this.#status = status;
    this.#headers = headers;
    const { createBodyReader, createReader } = this.#options;
    if (!isSuccess(status)) return;
    this.#body = createBodyReader?.();
    if (createReader === undefined) return;
    // Most streams say what they are; others show it by their first byte.
    const isStream =
      this.#options.streams === "any" || headers.get("content-type")?.startsWith("text/event-stream");
    if (isStream) this.#startStream(createReader({ status, headers }));
  }

  data(chunk: Uint8Array): boolean {
    if (this.#settled) return true;
    if (this.#reader !== undefined) return this.#readStream(this.#reader, chunk);
    this.#size += chunk.length;
    if (this.#body === undefined) this.#chunks.push(chunk);
    else if (this.#size <= this.#options.maxBytes) this.#body.push(chunk);
    if (!isSuccess(this.#status)) {
      if (this.#size > MAX_ERROR_BYTES) this.#cutErrorBody();
      return true;
    }
    if (this.#size > this.#options.maxBytes) {
      this.#fail({ kind: "too_large", limit: this.#options.maxBytes });
      return true;
    }
    const { createReader } = this.#options;
    if (createReader === undefined) return true;
    if (this.#size - chunk.length < SNIFF_BYTES && looksLikeEvents(this.#chunks)) {
      const reader = createReader({ status: this.#status, headers: this.#headers });
      this.#startStream(reader);
      let wantsMore = true;
      for (const kept of this.#chunks.splice(0)) {
        if (!this.#settled) wantsMore = this.#readStream(reader, kept);
      }
      return wantsMore;
    }
    return true;
  }

  end(): void {
    if (this.#settled) return;
    const body = this.#body;
    const headers = this.#headers;
    const reader = this.#reader;
    const status = this.#status;
    if (reader === undefined) {
      this.#settle("complete");
      if (body === undefined) this.#resolve({ status, headers, text: this.#takeText() });
      else this.#resolve(readBy(body, status, headers));
      return;
    }
    try {
      reader.end();
    } catch (error) {
      this.#fail({ kind: "reader", cause: error });
      return;
    }
    reader.queue.flush();
    if (!reader.complete) {
      this.#fail({ kind: "closed" });
      return;
    }
    this.#settle("complete");
    reader.queue.finish();
  }

  failed({ phase, code, cause }: TransportFailure): void {
    if (this.#settled) return;
    this.#fail({ kind: phase === "no_answer" ? "reset" : phase, code, cause });
  }

  #cutErrorBody(): void {
    this.#settle("complete");
    this.#exchange?.abort();
    const text = this.#takeText().slice(0, MAX_ERROR_BYTES);
    this.#resolve({ status: this.#status, headers: this.#headers, text });
  }

  #startStream(reader: StreamReader<T>): void {
    this.#reader = reader;
    if (!this.#limitsWhole) {
      this.#limitMs = this.#options.idleTimeoutMs;
      // The wait for the head was no silence of the stream.
      this.#lastActivity = performance.now();
    }
    this.#arm();
    reader.queue.attach({
      resume: () => {
        const now = performance.now();
        this.#lastActivity = this.#limitsWhole ? this.#lastActivity + (now - this.#pausedAt) : now;
        if (!this.#settled) this.#arm();
        this.#exchange?.resume();
      },
      abort: () => this.#stop(),
    });
    this.#resolve({ status: this.#status, headers: this.#headers, stream: reader.queue });
  }

  #readStream(reader: StreamReader<T>, chunk: Uint8Array): boolean {
    let items: number;
    try {
      items = reader.push(chunk);
    } catch (error) {
      reader.queue.flush();
      this.#fail({ kind: "reader", cause: error });
      return true;
    }
    if (items > 0 && !this.#limitsWhole) this.#lastActivity = performance.now();
    const wantsMore = reader.queue.flush();
    if (reader.complete) this.#finishEarly(reader);
    else if (!wantsMore) this.#pause();
    return wantsMore || this.#settled;
  }

  /** The answer is whole although the connection is still open. */
  #finishEarly(reader: StreamReader<T>): void {
    this.#settle("complete");
    reader.queue.finish();
    const linger = setTimeout(() => this.#exchange?.abort(), LINGER_MS);
    (linger as { unref?: () => void }).unref?.();
  }

  /** The reader of the stream has gone. */
  #stop(): void {
    if (this.#settled) return;
    this.#settle("left");
    this.#exchange?.abort();
  }

  #fail(failure: ExchangeFailure): void {
    this.#settle(failure);
    this.#exchange?.abort();
    const reader = this.#reader;
    if (reader === undefined) {
      this.#reject(failure);
      return;
    }
    if (failure.kind === "aborted") reader.queue.discard();
    reader.queue.finish(failure.kind === "reader" ? failure.cause : reader.interrupted(failure));
  }

  get #limitsWhole(): boolean {
    return this.#options.streamLimit === "whole";
  }

  #pause(): void {
    this.#pausedAt = performance.now();
    this.#arm();
  }

  #settle(end: ExchangeEnd): void {
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#forgetSignal?.();
    this.#options.onSettled?.(end);
  }

  readonly #onAbort = (): void => {
    this.#fail({ kind: "aborted", cause: this.#options.signal?.reason, sent: !this.#isConnecting() });
  };

  #isConnecting(): boolean {
    return this.#exchange?.isConnecting() === true;
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const { at } = this.#nextLimit();
    if (at === Number.POSITIVE_INFINITY) return;
    // Timers hold at most 31 bits; a longer limit is reached in several steps.
    this.#timer = setTimeout(this.#onTimer, Math.min(Math.max(1, at - performance.now()), MAX_TIMER_MS));
  }

  /** The limit that is reached first, as things are, and what it means to reach it. */
  #nextLimit(): { at: number; failure: ExchangeFailure } {
    const { connectTimeoutMs, deadline, idleTimeoutMs } = this.#options;
    const connecting = this.#isConnecting();
    const timeout = (limit: TimeLimit, limitMs: number): ExchangeFailure => ({
      kind: "timeout",
      limit,
      limitMs,
      sent: !connecting,
    });
    let next: { at: number; failure: ExchangeFailure };
    if (this.#reader?.queue.isPaused) {
      // A reader may take its time; one that never began holds a connection for nothing.
      const at = this.#reader.queue.wasRead ? Number.POSITIVE_INFINITY : this.#pausedAt + idleTimeoutMs;
      next = { at, failure: { kind: "unread" } };
    } else {
      const failure: ExchangeFailure =
        this.#reader === undefined || this.#limitsWhole
          ? timeout("timeout", this.#limitMs)
          : { kind: "idle" };
      next = { at: this.#lastActivity + this.#limitMs, failure };
    }
    const connectAt = this.#lastActivity + connectTimeoutMs;
    if (connecting && connectAt < next.at)
      next = { at: connectAt, failure: timeout("connect", connectTimeoutMs) };
    if (deadline !== undefined && deadline.at < next.at) {
      next = { at: deadline.at, failure: timeout("deadline", deadline.ms) };
    }
    return next;
  }

  /** The timer is set once and compares with the last activity: cheaper than setting it anew for every chunk. */
  readonly #onTimer = (): void => {
    const { at, failure } = this.#nextLimit();
    if (performance.now() < at - 1) this.#arm();
    else this.#fail(failure);
  };

  #takeText(): string {
    const chunks = this.#chunks.splice(0);
    // Most answers come in one piece.
    return new TextDecoder().decode(chunks.length === 1 ? chunks[0] : joinBytes(chunks));
  }
}

/** The text is made for those who ask: it may be many times what has been read of it. */
function readBy<T>(body: BodyReader, status: number, headers: ResponseHeaders): ExchangeAnswer<T> {
  return {
    status,
    headers,
    body,
    get text() {
      return body.text();
    },
  };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}
