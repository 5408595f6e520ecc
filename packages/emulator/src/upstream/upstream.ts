import { Answer } from "../http/answer.js";
import { APIError } from "../http/api-error.js";
import { isPrivateHost } from "./private-host.js";
import { requireOriginAndPath } from "./upstream-address.js";
import { UpstreamIdle } from "./upstream-idle.js";

/** A server that answers what the emulator itself does not serve. */
export interface UpstreamOptions {
  /** Its base address, ending in what stands before `/chat/completions`: `http://127.0.0.1:11434/v1`. */
  baseURL: string;
  /** Its own key. Keys of the emulator's callers are never sent on. Default: none. */
  apiKey?: string;
  /** Real milliseconds until its answer begins. Default 120000. */
  headTimeoutMs?: number;
  /** Real milliseconds without a byte of its answer. Default 60000. */
  idleTimeoutMs?: number;
}

/** A request on its way to it. */
export interface UpstreamRequest {
  method: string;
  /** Below the base address, with its query. */
  path: string;
  /** Below what the base address is without its `/v1`. */
  isBeside?: boolean;
  contentType: string | null;
  accept: string | null;
  body: Uint8Array | string | undefined;
  /** Aborts when the client leaves or the emulator closes. */
  signal: AbortSignal;
}

const DEFAULT_HEAD_TIMEOUT_MS = 120_000;
const DEFAULT_IDLE_TIMEOUT_MS = 60_000;
/** What of its answer callers get: no cookies, and nothing of its connection. */
const PASSED_HEADERS = [
  ...[
    "content-type",
    "retry-after",
    "cache-control",
    "content-disposition",
    "accept-ranges",
    "content-range",
  ],
  ...["openai-processing-ms", "openai-version"],
];
const MOST_REDIRECTS = 5;
const RATE_HEADER = /^x-ratelimit-/;

/** Sends requests on to another server. */
export class Upstream {
  readonly baseURL: string;
  readonly #options: UpstreamOptions;

  /** @throws TypeError for an address that is none */
  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.baseURL = requireOriginAndPath("upstream.baseURL", options.baseURL);
    for (const name of ["headTimeoutMs", "idleTimeoutMs"] as const) {
      const ms = options[name];
      if (ms !== undefined && !(ms > 0))
        throw new TypeError(`upstream.${name} must be milliseconds (got ${ms}).`);
    }
  }

  /** @throws APIError 502 when it cannot be reached, 504 when its answer does not begin; the abort reason of the signal */
  async send({
    method,
    path,
    isBeside,
    contentType,
    accept,
    body,
    signal,
  }: UpstreamRequest): Promise<Answer> {
    const { apiKey } = this.#options;
    const base = isBeside ? this.baseURL.replace(/\/v1$/, "") : this.baseURL;
    const headers = {
      ...(contentType !== null && { "content-type": contentType }),
      ...(accept !== null && { accept }),
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    };
    const sent = body === undefined || typeof body === "string" ? body : new Uint8Array(body);
    return this.#exchange(
      base + path,
      { method, headers, ...(sent !== undefined && { body: sent }) },
      signal,
    );
  }

  /**
   * A file that an answer of the upstream led to, wherever it lies; no key is sent there. Addresses of private networks are only
   * for upstreams that are in one.
   *
   * @throws APIError as `send`, and 502 for a link that is not followed
   */
  async download(link: string, signal: AbortSignal): Promise<Answer> {
    let url = new URL(link);
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
      await this.#requireReachable(url);
      const response = await this.#exchange(url.href, { method: "GET", headers: {} }, signal, [
        "location",
        "content-length",
      ]);
      const location = response.headers.get("location");
      response.headers.delete("location");
      if (response.status < 300 || response.status > 399 || location === null) return response;
      await response.cancel();
      if (!URL.canParse(location, url.href)) break;
      url = new URL(location, url);
    }
    throw notFollowed(url, "it leads on and on");
  }

  async #requireReachable(url: URL): Promise<void> {
    const own = new URL(this.baseURL);
    if (url.protocol !== "http:" && url.protocol !== "https:") throw notFollowed(url, "it is no HTTP");
    if (url.host === own.host) return;
    if ((await isPrivateHost(url.hostname)) && !(await isPrivateHost(own.hostname))) {
      throw notFollowed(url, "it leads into a private network, and the upstream is in none");
    }
  }

  async #exchange(
    url: string,
    init: RequestInit & { headers: Record<string, string> },
    signal: AbortSignal,
    passed: readonly string[] = [],
  ): Promise<Answer> {
    const { headTimeoutMs = DEFAULT_HEAD_TIMEOUT_MS, idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS } =
      this.#options;
    const ending = new AbortController();
    const stop = () => ending.abort(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    const timer = setTimeout(() => ending.abort(tooSlow(this.baseURL, headTimeoutMs)), headTimeoutMs);
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    };
    try {
      const response = await fetch(url, {
        ...init,
        headers: { ...init.headers, "accept-encoding": "identity" },
        redirect: "manual",
        signal: ending.signal,
      });
      clearTimeout(timer);
      // What was encoded, though nobody asked for it, has been decoded, and is longer.
      const hasLength = !response.headers.has("content-encoding");
      const headers = [...response.headers].filter(
        ([name]) =>
          PASSED_HEADERS.includes(name) ||
          RATE_HEADER.test(name) ||
          (passed.includes(name) && (hasLength || name !== "content-length")),
      );
      const answer = { status: response.status, headers: Object.fromEntries(headers) };
      if (response.body === null) {
        done();
        return new Answer(null, answer);
      }
      return new Answer(untilIdle(response.body, { idleTimeoutMs, ending, done }), answer);
    } catch (error) {
      done();
      if (signal.aborted) throw signal.reason;
      throw error instanceof APIError ? error : unreachable(this.baseURL, error);
    }
  }
}

interface Ending {
  idleTimeoutMs: number;
  ending: AbortController;
  done: () => void;
}

/** Passes a body on, and breaks it off when nothing comes for too long. */
function untilIdle(
  body: ReadableStream<Uint8Array>,
  { idleTimeoutMs, ending, done }: Ending,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      const timer = setTimeout(() => ending.abort(new UpstreamIdle(idleTimeoutMs)), idleTimeoutMs);
      try {
        const piece = await reader.read();
        if (!piece.done) {
          controller.enqueue(piece.value);
          return;
        }
        done();
        controller.close();
      } catch (error) {
        done();
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
    cancel(reason) {
      done();
      return reader.cancel(reason);
    },
  });
}

function tooSlow(baseURL: string, ms: number): APIError {
  return new APIError(`The upstream ${baseURL} did not begin to answer within ${ms} ms.`, {
    status: 504,
    code: "upstream_timeout",
  });
}

function unreachable(baseURL: string, error: unknown): APIError {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message?: string };
  const reason = cause?.code ?? cause?.message ?? message ?? String(error);
  return new APIError(`The upstream ${baseURL} cannot be reached: ${reason}.`, {
    status: 502,
    code: "upstream_unreachable",
  });
}

function notFollowed({ host }: URL, reason: string): APIError {
  return new APIError(`A link of the upstream to ${host} is not followed: ${reason}.`, {
    status: 502,
    code: "link_not_followed",
  });
}
