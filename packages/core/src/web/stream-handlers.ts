import { onAbort } from "../call/abort-signal.js";
import { MAX_TIMER_MS } from "../call/delay.js";
import { checkOptionNames } from "../checks/check-option-names.js";
import { ConfigurationError } from "../errors/errors.js";
import { GatewayError } from "../errors/gateway-error.js";
import { KeyedStreamError } from "../resumable/keyed-stream-error.js";
import { ResumableStreams, type StreamRequest } from "../resumable/resumable-streams.js";
import { DEFAULT_STREAM_SETTINGS, type StreamSettings } from "../resumable/stream-settings.js";
import type { StreamStore } from "../resumable/stream-store.js";
import { digest } from "./digest.js";
import { iterate } from "./iterate.js";
import { processStreamStore } from "./process-stream-store.js";
import { failureOf } from "./stream-failure.js";
import { SERVER_SENT_EVENTS, type StreamFormat } from "./stream-format.js";
import { streamResponse } from "./stream-response.js";

/** What a request wants of a stream. */
export type StreamAction = "start" | "resume" | "stop";

/** What the function is given that makes a paid call. */
export interface StreamCall {
  /**
   * Ends the call: it was stopped, or nobody reads it any more. Give this one to the model, and not the request's own, which
   * aborts with its first reader.
   */
  signal: AbortSignal;
  key: string;
}

/** Options of `createStreamHandlers`. Durations are milliseconds. */
export interface StreamHandlersOptions extends Partial<StreamSettings> {
  /**
   * Makes the paid call, once for each stream, and returns its events, which are JSON. A `Response` refuses the request, before
   * anything is paid.
   */
  open(request: Request, call: StreamCall): StreamContent | Response | PromiseLike<StreamContent | Response>;
  /**
   * Whose stream it is that the request asks for, such as the id of the user who is logged in: keys are those of one owner,
   * and nobody else reads or stops what is under them. Nobody (`undefined`) is answered with 403; a `Response` is sent as it is.
   */
  owner(
    request: Request,
    asked: { key: string; action: StreamAction },
  ): string | undefined | Response | PromiseLike<string | undefined | Response>;
  /** Names the stream. Default: `key` of the address, `?key=…`. Is given a copy of the request, whose body it may read. */
  key?(request: Request): string | undefined | PromiseLike<string | undefined>;
  /**
   * Whether the request wants another answer, even if it is the same as the one that was answered last. Default: no, the answer
   * that there is. While one is being made, it gets that. Is given a copy of the request, whose body it may read.
   */
  anew?(request: Request): boolean | PromiseLike<boolean>;
  /** Handlers of another name have other streams, in the same store. Default `streams`. */
  name?: string;
  /** Where events are kept. Opened at the first use. Default: one in the memory of this process. */
  store?: StreamStore;
  /** How events are written. Default: for an `EventSource`. */
  format?: StreamFormat;
  /** Keeps a process alive that ends, or sleeps, after its answers: `waitUntil` of the platform, or `after` of Next. */
  waitUntil?(work: Promise<void>): void;
  /** Is told, for the log, of what no reader can be told. Default `console.warn`. */
  warn?(message: string): void;
}

/** Events of a paid call. */
export type StreamContent = AsyncIterable<unknown> | ReadableStream<unknown>;

/** A handler of a web-standard server. */
export type StreamHandler = (request: Request) => Promise<Response>;

/** Handlers of one address, or of several. */
export interface StreamHandlers {
  /**
   * Begins a stream, and sends it. The same request again gets the same stream, while it runs and afterwards, and pays
   * nothing; another one is refused with 409 while the stream runs, and begins the next when it is over.
   */
  POST: StreamHandler;
  /**
   * Sends what follows the event of `Last-Event-ID`, or `?from=`; without either, the whole stream. 204 when there is nothing
   * to send. Never begins a call.
   */
  GET: StreamHandler;
  /** Ends a stream, for all its readers and in whichever process its call is made: `{ "stopped": true }` when it ran. */
  DELETE: StreamHandler;
  /** Cuts the calls of this process, lets its readers go, and closes the store that was given. */
  close(): Promise<void>;
}

const KNOWN_OPTIONS: Record<keyof StreamHandlersOptions, true> = {
  ...{
    open: true,
    owner: true,
    key: true,
    anew: true,
    name: true,
    store: true,
    format: true,
    waitUntil: true,
    warn: true,
  },
  ...{ graceMs: true, keepMs: true, leaseMs: true, maxStreamBytes: true },
};

/**
 * Handlers for streams that survive their readers, for any server of `(Request) → Response`.
 *
 * @throws ConfigurationError for options that make no sense
 */
export function createStreamHandlers(options: StreamHandlersOptions): StreamHandlers {
  checkOptionNames(options, Object.keys(KNOWN_OPTIONS), "handlers of streams");
  const { name = "streams", store = processStreamStore(), format = SERVER_SENT_EVENTS } = options;
  const { key: keyOf = keyOfAddress, warn = (message) => console.warn(message) } = options;
  const streams = new ResumableStreams({ store, settings: settingsOf(options), warn });

  /** Answers a request of somebody who may make it. */
  const handle =
    (
      action: StreamAction,
      answer: (request: Request, key: string, kept: string) => Promise<Response>,
    ): StreamHandler =>
    async (request) => {
      const key = await keyOf(request.clone());
      if (typeof key !== "string" || key === "")
        return refuse(400, "The request does not say which stream it is about.");
      const owner = await options.owner(request, { key, action });
      if (owner instanceof Response) return owner;
      if (typeof owner !== "string" || owner === "") return refuse(403, "There is no stream here for you.");
      try {
        return await answer(request, key, await digest(JSON.stringify([name, owner, key])));
      } catch (error) {
        if (!KeyedStreamError.isInstance(error)) throw error;
        const { reason } = error;
        // Of what was refused there is nothing to read, and its key is free.
        if (reason === "unknown" || (reason === "refused" && action === "resume")) return nothing();
        const { status, message } = failureOf(error);
        return refuse(status, format.message?.(error) ?? message, error);
      }
    };

  const read = async (request: Request, asked: StreamRequest): Promise<Response> => {
    const gone = new AbortController();
    onAbort(request.signal, () => gone.abort());
    if (request.signal.aborted) gone.abort();
    const { isOver, events } = await streams.open({ ...asked, signal: gone.signal });
    if (!isOver) return streamResponse(events, format, gone);
    gone.abort();
    return nothing();
  };

  return {
    POST: handle("start", async (request, key, kept) => {
      const { search } = new URL(request.url);
      const asked = (await digest(search, await request.clone().arrayBuffer())).slice(0, 16);
      let refusal: Response | undefined;
      let failure: { error: unknown } | undefined;
      const open = async (signal: AbortSignal) => {
        const opened = await Promise.resolve(options.open(request, { signal, key })).catch((error) => {
          failure = { error };
          throw error;
        });
        if (!(opened instanceof Response)) return iterate(opened);
        refusal = opened;
        throw new KeyedStreamError("refused");
      };
      const anew = (await options.anew?.(request.clone())) ?? false;
      const begun = options.waitUntil && { begun: (over: Promise<void>) => options.waitUntil?.(over) };
      try {
        return await read(request, { key: kept, source: { asked, anew, open, ...begun } });
      } catch (error) {
        if (refusal !== undefined) return refusal;
        // The server's own way with errors knows more of it than a stream may tell.
        if (failure !== undefined && !GatewayError.isInstance(failure.error)) throw failure.error;
        throw error;
      }
    }),
    GET: handle("resume", (request, _key, kept) => {
      const from = request.headers.get("last-event-id") ?? new URL(request.url).searchParams.get("from");
      return read(request, { key: kept, ...(from !== null && { from }) });
    }),
    DELETE: handle("stop", async (_request, _key, kept) =>
      Response.json({ stopped: await streams.stop(kept) }, { headers: { "cache-control": "no-store" } }),
    ),
    close: () => streams.close(),
  };
}

/** There is nothing to read: ends an `EventSource`, and leaves `useChat` as it is. */
function nothing(): Response {
  return new Response(null, { status: 204, headers: { "cache-control": "no-store" } });
}

function keyOfAddress(request: Request): string | undefined {
  return new URL(request.url).searchParams.get("key") ?? undefined;
}

function settingsOf(options: StreamHandlersOptions): StreamSettings {
  const settings = { ...DEFAULT_STREAM_SETTINGS };
  for (const option of Object.keys(settings) as Array<keyof StreamSettings>) {
    const value = options[option];
    if (value === undefined) continue;
    if (!(value > 0 && value <= MAX_TIMER_MS))
      throw new ConfigurationError(
        `Option ${option} must be a number above 0 and at most ${MAX_TIMER_MS}, and not ${value}.`,
        { option },
      );
    settings[option] = value;
  }
  return settings;
}

function refuse(status: number, message: string, error?: KeyedStreamError): Response {
  const { reason, maybeProcessed } = error ?? {};
  return Response.json(
    { error: message, ...(reason !== undefined && { reason, maybeProcessed }) },
    { status, headers: { "cache-control": "no-store" } },
  );
}
