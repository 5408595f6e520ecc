import { findErrorCode, isUnsentCode, type ResponseHeaders, type Transport } from "./transport.js";

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
      let wake: (() => void) | undefined;

      const run = async () => {
        const response = await fetchFunction(request.origin + request.path, requestInit(request, controller));
        if (settled) return void response.body?.cancel().catch(() => {});
        headSeen = true;
        sink.head(response.status, wrapHeaders(response.headers));
        const reader = response.body?.getReader();
        while (reader !== undefined && !settled) {
          const { done, value } = await reader.read();
          if (done || settled) break;
          if (!sink.data(value) && !settled) {
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
          }
        }
        if (settled) return;
        settled = true;
        sink.end();
      };

      run().catch((error: unknown) => {
        if (settled) return;
        settled = true;
        const code = findErrorCode(error);
        sink.failed({ phase: !headSeen && isUnsentCode(code) ? "unsent" : "no_answer", code, cause: error });
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
      };
    },
  };
}

function requestInit(
  request: { method: string; headers: Record<string, string>; body?: unknown },
  controller: AbortController,
): RequestInit {
  const { body } = request;
  const streamed = typeof body === "object" && body !== null && Symbol.asyncIterator in body;
  return {
    method: request.method,
    headers: request.headers,
    body: (streamed ? toReadableStream(body as AsyncIterable<Uint8Array>) : body) as BodyInit | undefined,
    // The key must never follow a redirect to another host.
    redirect: "manual",
    signal: controller.signal,
    ...(streamed ? { duplex: "half" } : {}),
  } as RequestInit;
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
