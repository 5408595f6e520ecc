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
    const { connectTimeoutMs, createReader, deadline, idleTimeoutMs, maxBytes, signal } = options;
    const limitsWhole = options.streamLimit === "whole";
    let status = 0;
    let headers: ResponseHeaders = NO_HEADERS;
    let exchange: TransportExchange | undefined;
    let reader: StreamReader<T> | undefined;
    let body: BodyReader | undefined;
    let chunks: Uint8Array[] = [];
    let size = 0;
    let settled = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let limitMs = options.timeoutMs;
    let lastActivity = performance.now();
    let pausedAt = 0;
    let forgetSignal: (() => void) | undefined;

    const isConnecting = () => exchange?.isConnecting() === true;

    const settle = (end: ExchangeEnd): void => {
      settled = true;
      clearTimeout(timer);
      forgetSignal?.();
      options.onSettled?.(end);
    };

    const fail = (failure: ExchangeFailure): void => {
      settle(failure);
      exchange?.abort();
      if (reader === undefined) {
        reject(failure);
        return;
      }
      if (failure.kind === "aborted") reader.queue.discard();
      reader.queue.finish(failure.kind === "reader" ? failure.cause : reader.interrupted(failure));
    };

    /** The limit that is reached first, as things are, and what it means to reach it. */
    const nextLimit = (): { at: number; failure: ExchangeFailure } => {
      const connecting = isConnecting();
      const timeout = (limit: TimeLimit, limitMs: number): ExchangeFailure => ({
        kind: "timeout",
        limit,
        limitMs,
        sent: !connecting,
      });
      let at = lastActivity + limitMs;
      let failure: ExchangeFailure = { kind: "idle" };
      if (reader?.queue.isPaused) {
        // A reader may take its time; one that never began holds a connection for nothing.
        at = reader.queue.wasRead ? Number.POSITIVE_INFINITY : pausedAt + idleTimeoutMs;
        failure = { kind: "unread" };
      } else if (reader === undefined || limitsWhole) failure = timeout("timeout", limitMs);
      const connectAt = lastActivity + connectTimeoutMs;
      if (connecting && connectAt < at) {
        at = connectAt;
        failure = timeout("connect", connectTimeoutMs);
      }
      return deadline !== undefined && deadline.at < at
        ? { at: deadline.at, failure: timeout("deadline", deadline.ms) }
        : { at, failure };
    };

    const arm = (): void => {
      clearTimeout(timer);
      const { at } = nextLimit();
      if (at === Number.POSITIVE_INFINITY) return;
      // Timers hold at most 31 bits; a longer limit is reached in several steps.
      timer = setTimeout(onTimer, Math.min(Math.max(1, at - performance.now()), MAX_TIMER_MS));
    };

    /** The timer is set once and compares with the last activity: cheaper than setting it anew for every chunk. */
    const onTimer = (): void => {
      const { at, failure } = nextLimit();
      if (performance.now() < at - 1) arm();
      else fail(failure);
    };

    const takeText = (): string => {
      const taken = chunks;
      chunks = [];
      // Most answers come in one piece.
      return new TextDecoder().decode(taken.length === 1 ? taken[0] : joinBytes(taken));
    };

    const startStream = (): StreamReader<T> => {
      const started = (createReader as NonNullable<typeof createReader>)({ status, headers });
      reader = started;
      if (!limitsWhole) {
        limitMs = idleTimeoutMs;
        // The wait for the head was no silence of the stream.
        lastActivity = performance.now();
      }
      arm();
      started.queue.attach({
        resume: () => {
          const now = performance.now();
          lastActivity = limitsWhole ? lastActivity + (now - pausedAt) : now;
          if (!settled) arm();
          exchange?.resume();
        },
        // The reader of the stream has gone.
        abort: () => {
          if (settled) return;
          settle("left");
          exchange?.abort();
        },
      });
      resolve({ status, headers, stream: started.queue });
      return started;
    };

    const readStream = (to: StreamReader<T>, chunk: Uint8Array): boolean => {
      const { queue } = to;
      let items: number;
      try {
        items = to.push(chunk);
      } catch (cause) {
        queue.flush();
        fail({ kind: "reader", cause });
        return true;
      }
      if (items > 0 && !limitsWhole) lastActivity = performance.now();
      const wantsMore = queue.flush();
      if (to.complete) {
        // The answer is whole although the connection is still open.
        settle("complete");
        queue.finish();
        const linger = setTimeout(() => exchange?.abort(), LINGER_MS);
        (linger as { unref?: () => void }).unref?.();
      } else if (!wantsMore) {
        pausedAt = performance.now();
        arm();
      }
      return wantsMore || settled;
    };

    const sink: TransportSink = {
      head(receivedStatus, receivedHeaders) {
        status = receivedStatus;
        headers = receivedHeaders;
        if (!isSuccess(status)) return;
        body = options.createBodyReader?.();
        // Most streams say what they are; others show it by their first byte.
        const isStream =
          options.streams === "any" || headers.get("content-type")?.startsWith("text/event-stream");
        if (createReader !== undefined && isStream) startStream();
      },

      data(chunk) {
        if (settled) return true;
        if (reader !== undefined) return readStream(reader, chunk);
        size += chunk.length;
        if (body === undefined) chunks.push(chunk);
        else if (size <= maxBytes) body.push(chunk);
        if (!isSuccess(status)) {
          if (size > MAX_ERROR_BYTES) {
            settle("complete");
            exchange?.abort();
            resolve({ status, headers, text: takeText().slice(0, MAX_ERROR_BYTES) });
          }
          return true;
        }
        if (size > maxBytes) {
          fail({ kind: "too_large", limit: maxBytes });
          return true;
        }
        let wantsMore = true;
        if (createReader !== undefined && size - chunk.length < SNIFF_BYTES && looksLikeEvents(chunks)) {
          const kept = chunks;
          chunks = [];
          const started = startStream();
          for (const piece of kept) if (!settled) wantsMore = readStream(started, piece);
        }
        return wantsMore;
      },

      end() {
        if (settled) return;
        if (reader === undefined) {
          settle("complete");
          resolve(body === undefined ? { status, headers, text: takeText() } : readBy(body, status, headers));
          return;
        }
        try {
          reader.end();
        } catch (cause) {
          fail({ kind: "reader", cause });
          return;
        }
        reader.queue.flush();
        if (reader.complete) {
          settle("complete");
          reader.queue.finish();
        } else fail({ kind: "closed" });
      },

      failed({ phase, code, cause }) {
        if (!settled) fail({ kind: phase === "no_answer" ? "reset" : phase, code, cause });
      },
    };

    if (signal?.aborted) {
      fail({ kind: "aborted", cause: signal.reason, sent: false });
      return;
    }
    forgetSignal = onAbort(signal, () =>
      fail({ kind: "aborted", cause: signal?.reason, sent: !isConnecting() }),
    );
    try {
      exchange = transport.send(request, sink);
    } catch (cause) {
      fail({ kind: "unsent", cause });
      return;
    }
    if (settled) exchange.abort();
    else arm();
  });
}

const NO_HEADERS: ResponseHeaders = { get: () => undefined, toRecord: () => ({}) };

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
