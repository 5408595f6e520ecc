import {
  findErrorCode,
  isUnsentCode,
  type ResponseHeaders,
  type Transport,
  type TransportExchange,
} from "./transport.js";

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

/** @returns the transport, or undefined where the runtime has no dispatcher of the expected shape */
export function createDispatchTransport(): Transport | undefined {
  // Node installs the dispatcher when the first of the fetch classes is touched.
  new Headers();
  if (globalDispatcher() === undefined) return undefined;

  return {
    name: "dispatch",
    send(request, sink): TransportExchange {
      // Looked up for each request: the application may install another dispatcher at any time.
      const dispatcher = globalDispatcher();
      if (dispatcher === undefined) throw new TypeError("The global undici dispatcher has been removed.");
      let connected = false;
      let settled = false;
      let abortRequest: ((reason?: Error) => void) | undefined;
      let resumeBody: (() => void) | undefined;
      const { headers } = request;
      // Nothing below fetch decompresses.
      headers["accept-encoding"] = "identity";

      const fail = (error: unknown) => {
        if (settled) return;
        settled = true;
        const code = findErrorCode(error);
        sink.failed({ phase: connected && !isUnsentCode(code) ? "no_answer" : "unsent", code, cause: error });
      };

      try {
        dispatcher.dispatch(
          {
            origin: request.origin,
            path: request.path,
            method: request.method,
            headers,
            body: request.body ?? null,
            // The caller's own deadlines decide, not the dispatcher's 300 s.
            headersTimeout: 0,
            bodyTimeout: 0,
          },
          {
            onConnect(abort) {
              connected = true;
              abortRequest = abort;
              if (settled) abort();
            },
            onHeaders(status, rawHeaders, resume) {
              if (settled) return true;
              if (status < 200) return true;
              resumeBody = resume;
              sink.head(status, readRawHeaders(rawHeaders));
              return true;
            },
            onData(chunk) {
              return settled ? true : sink.data(chunk);
            },
            onComplete() {
              if (settled) return;
              settled = true;
              sink.end();
            },
            onError: fail,
          },
        );
      } catch (error) {
        fail(error);
      }

      return {
        abort() {
          settled = true;
          abortRequest?.();
        },
        resume() {
          resumeBody?.();
        },
      };
    },
  };
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
