import {
  builtin,
  type ContentDecoder,
  createContentDecoder,
  decodedHeaders,
  encodingsOf,
} from "./decode-content.js";
import type {
  ResponseHeaders,
  Transport,
  TransportExchange,
  TransportRequest,
  TransportSink,
} from "./transport.js";
import { findErrorCode } from "./transport-failure.js";

/**
 * The dispatcher behind Node's own `fetch`, as undici publishes it for other copies of itself. Going below
 * `fetch` saves four fifths of the CPU time of a call and Node's fixed 300 s limit on answers; proxies and
 * agents that were set with undici's `setGlobalDispatcher` stay in force.
 */
const DISPATCHER = Symbol.for("undici.globalDispatcher.1");

interface DispatchHandler {
  onConnect(abort: (reason?: Error) => void): void;
  onHeaders(status: number, rawHeaders: Uint8Array[] | string[], resume: () => void): boolean;
  onData(chunk: Uint8Array): boolean;
  onComplete(): void;
  onError(error: unknown): void;
}

interface Dispatcher {
  dispatch(options: Record<string, unknown>, handler: DispatchHandler): boolean;
}

function globalDispatcher(): Dispatcher | undefined {
  const candidate = (globalThis as Record<symbol, unknown>)[DISPATCHER] as Dispatcher | undefined;
  return typeof candidate?.dispatch === "function" ? candidate : undefined;
}

/** Whether connections are made by Node itself, and by no proxy that resolves names on its own. */
function connectsItself(): boolean {
  return globalDispatcher()?.constructor.name === "Agent";
}

/** @returns the transport, or undefined where the runtime has no dispatcher of the expected shape */
export function createDispatchTransport(): Transport | undefined {
  // Node installs the dispatcher when the first of the fetch classes is touched.
  new Headers();
  if (globalDispatcher() === undefined) return undefined;
  watchSockets();
  return {
    name: "dispatch",
    resolvesHere: connectsItself,
    send(request, sink) {
      // Looked up for each request: the application may install another dispatcher at any time.
      const dispatcher = globalDispatcher();
      if (dispatcher === undefined) throw new TypeError("The global undici dispatcher has been removed.");
      const exchange = new DispatchExchange(sink);
      exchange.start(dispatcher, request);
      return exchange;
    },
  };
}

/** The exchange whose headers are about to be written: undici names the socket right after `onConnect`. */
let connecting: DispatchExchange | undefined;
let watching = false;

function watchSockets(): void {
  if (watching) return;
  watching = true;
  type Channels = { subscribe(name: string, listener: (message: unknown) => void): void };
  const channels = builtin("diagnostics_channel") as Partial<Channels> | undefined;
  channels?.subscribe?.("undici:client:sendHeaders", (message) => {
    if (connecting === undefined) return;
    connecting.socket = (message as { socket?: { readableEnded?: boolean } }).socket;
    connecting = undefined;
  });
}

class DispatchExchange implements TransportExchange, DispatchHandler {
  socket: { readableEnded?: boolean } | undefined;
  #connected = false;
  #settled = false;
  #chunked = false;
  #decoder: ContentDecoder | undefined;
  #abortRequest: ((reason?: Error) => void) | undefined;
  #resumeBody: (() => void) | undefined;

  readonly #sink: TransportSink;

  constructor(sink: TransportSink) {
    this.#sink = sink;
  }

  start(dispatcher: Dispatcher, request: TransportRequest): void {
    const { headers, connectTo } = request;
    // Asked for, because nothing below fetch decompresses, and decoding costs more than it saves.
    headers["accept-encoding"] = "identity";
    let { origin } = request;
    if (connectTo !== undefined) {
      const url = new URL(origin);
      headers["host"] = url.host;
      url.hostname = connectTo.includes(":") ? `[${connectTo}]` : connectTo;
      origin = url.origin;
    }
    try {
      dispatcher.dispatch(
        {
          origin,
          path: request.path,
          method: request.method,
          headers,
          body: request.body ?? null,
          // The caller's own deadlines decide, not the dispatcher's 300 s.
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        this,
      );
    } catch (error) {
      this.onError(error);
    }
  }

  isConnecting(): boolean {
    return !this.#connected;
  }

  abort(): void {
    this.#settled = true;
    this.#decoder?.destroy();
    this.#abortRequest?.();
  }

  resume(): void {
    if (this.#decoder === undefined) this.#resumeBody?.();
    else this.#decoder.resume();
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.#abortRequest = abort;
    if (this.#settled) {
      abort();
      return;
    }
    this.#connected = true;
    connecting = this;
  }

  onHeaders(status: number, rawHeaders: Uint8Array[] | string[], resume: () => void): boolean {
    if (this.#settled || status < 200) return true;
    this.#resumeBody = resume;
    const headers = readRawHeaders(rawHeaders);
    this.#chunked = headers.get("transfer-encoding")?.toLowerCase().includes("chunked") === true;
    const encodings = encodingsOf(headers);
    if (encodings.length === 0) {
      this.#sink.head(status, headers);
      return true;
    }
    this.#decoder = createContentDecoder(encodings, {
      data: (chunk) => this.#settled || this.#sink.data(chunk),
      end: () => this.#end(),
      failed: (error) => this.onError(error),
      drain: () => resume(),
    });
    if (this.#decoder === undefined) {
      const cause = new TypeError(
        `The answer is encoded as ${encodings.join(", ")}, which this Node cannot read.`,
      );
      this.#fail("unusable", cause);
      this.#abortRequest?.();
      return true;
    }
    this.#sink.head(status, decodedHeaders(headers));
    return true;
  }

  onData(chunk: Uint8Array): boolean {
    if (this.#settled) return true;
    return this.#decoder === undefined ? this.#sink.data(chunk) : this.#decoder.write(chunk);
  }

  onComplete(): void {
    // undici takes the end of a connection for the end of a chunked body; its last chunk ends the body before that.
    if (this.#chunked && this.socket?.readableEnded === true) {
      this.onError(new TypeError("The connection was closed inside a chunked body."));
    } else if (this.#decoder === undefined) this.#end();
    else this.#decoder.end();
  }

  onError(error: unknown): void {
    // What happens to an established connection says nothing about whether the request arrived.
    this.#fail(this.#connected ? "no_answer" : "unsent", error);
  }

  #end(): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#sink.end();
  }

  #fail(phase: "unsent" | "no_answer" | "unusable", cause: unknown): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#decoder?.destroy();
    this.#sink.failed({ phase, code: findErrorCode(cause), cause });
  }
}

const latin1 = new TextDecoder("latin1");
const asText = (part: Uint8Array | string): string => (typeof part === "string" ? part : latin1.decode(part));

/** Names and values alternate; they are decoded only when somebody asks. */
function readRawHeaders(raw: ReadonlyArray<Uint8Array | string>): ResponseHeaders {
  return {
    get(name) {
      for (let index = 0; index < raw.length; index += 2) {
        const key = raw[index];
        if (key !== undefined && key.length === name.length && asText(key).toLowerCase() === name) {
          return asText(raw[index + 1] ?? "");
        }
      }
      return undefined;
    },
    toRecord() {
      const record: Record<string, string> = {};
      for (let index = 0; index < raw.length; index += 2) {
        const name = asText(raw[index] ?? "").toLowerCase();
        const value = asText(raw[index + 1] ?? "");
        record[name] = record[name] === undefined ? value : `${record[name]}, ${value}`;
      }
      return record;
    },
  };
}
