import { encodingsOf } from "./decode-content.js";
import type { ResponseHeaders, Transport, TransportRequest } from "./transport.js";
import { findErrorCode, isUnsentError } from "./transport-failure.js";

/** The part of `fetch` that the client uses; any standard implementation fits. */
export type FetchFunction = (input: string, init?: RequestInit) => Promise<Response>;

/** Runs exchanges over a `fetch` function: the user's own, a patched one, or that of a runtime other than Node. */
export function createFetchTransport(fetchFunction: FetchFunction): Transport {
  return {
    name: "fetch",
    send(request, sink) {
      const controller = new AbortController();
      let settled = false;
      let headSeen = false;
      let unusable = false;
      let wake: (() => void) | undefined;

      const run = async () => {
        const init = await requestInit(request, controller);
        const response = await fetchFunction(request.origin + request.path, init);
        // What goes wrong from here on is told to nobody.
        if (settled) return response.body?.cancel?.();
        headSeen = true;
        const headers = wrapHeaders(response.headers);
        sink.head(response.status, headers);
        const chunks = readBody(response);
        if (chunks === undefined) {
          unusable = true;
          throw new TypeError("The function given as option fetch answers with a body that nobody can read");
        }
        let received = 0;
        for await (const chunk of chunks) {
          if (settled) return;
          received += chunk.length;
          if (!sink.data(chunk) && !settled) {
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
          }
        }
        if (settled) return;
        const declared = declaredLength(headers);
        if (received < declared) {
          throw new TypeError(`The body ended after ${received} of ${declared} bytes.`);
        }
        settled = true;
        sink.end();
      };

      run().catch((error: unknown) => {
        if (settled) return;
        const phase = unusable ? "unusable" : !headSeen && isUnsentError(error) ? "unsent" : "no_answer";
        sink.failed({ phase, code: findErrorCode(error), cause: error });
      });

      return {
        abort() {
          settled = true;
          wake?.();
          controller.abort();
        },
        resume() {
          wake?.();
          wake = undefined;
        },
        isConnecting: () => false,
      };
    },
  };
}

async function requestInit(request: TransportRequest, controller: AbortController): Promise<RequestInit> {
  const { body } = request;
  const streamed = typeof body === "object" && Symbol.asyncIterator in body;
  const init = {
    method: request.method,
    headers: request.headers,
    // The key must never follow a redirect to another host.
    redirect: "manual",
    signal: controller.signal,
  };
  if (streamed) {
    const stream = toReadableStream(body as AsyncIterable<Uint8Array>);
    // Browsers send streams over HTTP/2 only, and fail over HTTP/1 without saying why.
    if (isBrowserRuntime()) return { ...init, body: await new Response(stream).blob() } as RequestInit;
    return { ...init, body: stream, duplex: "half" } as RequestInit;
  }
  return { ...init, body: unrepeatable(body) } as RequestInit;
}

/** Browsers and their workers; other runtimes name themselves otherwise. */
export function isBrowserRuntime(): boolean {
  const { navigator } = globalThis as { navigator?: { userAgent?: string } };
  return navigator?.userAgent?.startsWith("Mozilla/") === true;
}

/**
 * Some runtimes send a request again by themselves when a kept connection breaks, and tell nobody: what is paid is paid
 * twice, and attempts are counted wrongly. Deno may do so with what it holds, and not with a `Blob`; a browser does so with
 * all of them.
 */
function unrepeatable(body: TransportRequest["body"]): unknown {
  const isDeno = (globalThis as { Deno?: unknown }).Deno !== undefined;
  const isPlain = typeof body === "string" || body instanceof Uint8Array;
  return isDeno && isPlain ? new Blob([body as BlobPart]) : body;
}

/** Standard bodies, and those of older fetch functions: streams of Node's, or none but `arrayBuffer()`. */
function readBody(response: Response): AsyncIterable<Uint8Array> | undefined {
  const body = response.body as
    | Partial<ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>>
    | null
    | undefined;
  if (typeof body?.getReader === "function") return readStream(body.getReader());
  if (typeof body?.[Symbol.asyncIterator] === "function") return body as AsyncIterable<Uint8Array>;
  if (typeof response.arrayBuffer === "function") return readWhole(response);
  return body === null ? readNothing() : undefined;
}

async function* readStream(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    // Left early: the connection is free again.
    reader.cancel().catch(() => {});
  }
}

async function* readWhole(response: Response): AsyncGenerator<Uint8Array, void, undefined> {
  yield new Uint8Array(await response.arrayBuffer());
}

async function* readNothing(): AsyncGenerator<Uint8Array, void, undefined> {}

/** What is left out declares nothing, nor does the length of what was encoded: what arrives has been decoded. */
function declaredLength(headers: ResponseHeaders): number {
  const value = headers.get("content-length") ?? "";
  return /^\d+$/.test(value) && encodingsOf(headers).length === 0 ? Number(value) : 0;
}

function toReadableStream(source: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

function wrapHeaders(headers: Headers): ResponseHeaders {
  return {
    get: (name) => headers.get(name) ?? undefined,
    toRecord: () => Object.fromEntries(headers),
  };
}
