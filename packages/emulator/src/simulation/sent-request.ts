const NO_BODY = new Set(["GET", "HEAD"]);
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** What of a call of `fetch` goes over the line. */
export interface SentRequest {
  method: string;
  url: URL;
  headers: Headers;
  body?: Uint8Array<ArrayBuffer>;
  signal: AbortSignal;
}

/** Of a request that cannot be aborted. */
const NEVER = new AbortController().signal;

/** @throws as `fetch` does for what is no request */
export async function readSentRequest(
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<SentRequest> {
  const signal = init.signal ?? (input instanceof Request ? input.signal : NEVER);
  signal.throwIfAborted();
  return readPlain(input, init, signal) ?? (await readAny(input, init, signal));
}

/** As it arrives: of its sender nothing is left but what was sent. */
export function arrivedRequest({ url, method, headers, body }: SentRequest): Request {
  return new Request(url, { method, headers, ...(body && { body }) });
}

/** What most clients send. A `Request` costs as much as the rest of a world's step, and each leaves work for the collector. */
function readPlain(
  input: string | URL | Request,
  init: RequestInit,
  signal: AbortSignal,
): SentRequest | undefined {
  const { method = "GET", body, headers } = init;
  if (input instanceof Request || !METHODS.has(method)) return undefined;
  const url = new URL(input);
  if (url.username !== "" || url.password !== "") return undefined;
  if (body === undefined || body === null) return { method, url, headers: new Headers(headers), signal };
  if (typeof body !== "string" || NO_BODY.has(method)) return undefined;
  const sent = { method, url, headers: new Headers(headers), body: new TextEncoder().encode(body), signal };
  if (!sent.headers.has("content-type")) sent.headers.set("content-type", "text/plain;charset=UTF-8");
  return sent;
}

async function readAny(
  input: string | URL | Request,
  init: RequestInit,
  signal: AbortSignal,
): Promise<SentRequest> {
  // The platform's own listener on the signal would be there until it is collected.
  const request = new Request(input, { ...init, signal: null });
  const { method, headers, url } = request;
  const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
  return { method, url: new URL(url), headers, signal, ...(body && { body }) };
}
