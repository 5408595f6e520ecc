import { askForKey } from "../call/ask-for-key.js";
import { streamOutcome } from "../call/attempt.js";
import { type Call, LONG_TIMEOUT_MS, readRequestId } from "../call/call.js";
import {
  type ErrorContext,
  errorFromErrorAnswer,
  errorFromFailure,
  errorFromUnreadable,
  streamErrorsOf,
} from "../call/call-errors.js";
import type { ConnectionParts } from "../call/connection.js";
import { within } from "../call/delay.js";
import { type ExchangeAnswer, type ExchangeEnd, runExchange } from "../call/exchange.js";
import { checkCount, checkDuration } from "../checks/check-numbers.js";
import { checkOptionNames } from "../checks/check-option-names.js";
import type { GatewayConfig } from "../config/config.js";
import { InvalidRequestError } from "../errors/errors.js";
import type { AttemptRecord } from "../errors/gateway-error.js";
import type { SafeSpan } from "../hooks/tracer.js";
import { type ByteBody, createByteBody } from "../streams/byte-body.js";
import { ByteReader } from "../streams/byte-reader.js";
import { encodingsOf } from "../transport/decode-content.js";
import type { ExchangeFailure } from "../transport/exchange-failure.js";
import type { Transport } from "../transport/transport.js";
import { findErrorCode } from "../transport/transport-failure.js";
import { decodeBase64 } from "./base64.js";
import { isPrivateHost } from "./private-address.js";
import { resolveHost } from "./resolve-host.js";

/** Anything with an address to download from: a URL, or a result of this client. */
export type DownloadSource = string | URL | { url: string };

/** Options of `gateway.download`. */
export interface DownloadOptions {
  signal?: AbortSignal;
  /** Time until the answer begins, in milliseconds. Default 600000. */
  timeout?: number;
  /** Largest file that is accepted, in bytes. Default 2 GiB. */
  maxBytes?: number;
  /**
   * Whether the key goes along to the gateway's own addresses. False for an address that came out of a model's text: a
   * prompt can make a model write any. Default true.
   */
  sendKey?: boolean;
  /** Asks for the rest of a file that was begun. The server may send the whole file all the same: `offset` tells. */
  resume?: DownloadResume;
}

/** Where a download that broke off goes on. */
export interface DownloadResume {
  /** Bytes that are there already, at least 1. */
  from: number;
  /** `version` of the download that broke off: the server sends the whole file when it has another one by now. */
  version?: string;
}

const OPTION_NAMES: ReadonlyArray<keyof DownloadOptions> = [
  "signal",
  "timeout",
  "maxBytes",
  "sendKey",
  "resume",
];

/** A file on its way. Read `body` or call `bytes()`, not both. */
export interface Download extends ByteBody {
  /** Media type as the server gives it, `application/octet-stream` when it gives none. */
  contentType: string;
  /** Of `body`, in bytes, when the server tells. */
  contentLength?: number;
  /** Bytes of the file that come before `body`, where the server goes on as `resume` asked. Default 0. */
  offset?: number;
  /**
   * What tells this content of the file from another one, for `resume`: its entity tag, or when it was changed. When the
   * server tells, and sends the bytes as they are.
   */
  version?: string;
}

const DEFAULT_MAX_BYTES = 2 * 2 ** 30;
const MAX_REDIRECTS = 5;
const RANGE_NOT_SATISFIABLE = 416;

/** What `gateway.download` is. */
export type Downloader = (source: DownloadSource, options?: DownloadOptions) => Promise<Download>;

/**
 * Makes the function behind `gateway.download`. The key goes to the client's own base addresses and nowhere
 * else; every redirect is checked anew; private addresses are refused unless they are the gateway's own, on Node also
 * where a public name leads to one.
 */
export function downloaderOf({ config, transport, ownOrigins, sender }: ConnectionParts): Downloader {
  return async (source, options = {}) => {
    checkOptionNames(options, OPTION_NAMES, "download");
    checkDuration("timeout", options.timeout);
    checkCount("resume.from", options.resume?.from);
    const maxBytes = checkCount("maxBytes", options.maxBytes) ?? DEFAULT_MAX_BYTES;
    const url = parseSource(source, config);
    if (url.protocol === "data:") return decodeDataURL(url, maxBytes);

    checkTarget(url, ownOrigins);
    const timeline: AttemptRecord[] = [];
    const { origin, pathname: path } = url;
    const span = sender.startSpan(() => ({ call: "download", method: "GET", path, origin }));
    const work = () => ask(url, { options, maxBytes, timeline, span });
    if (span === undefined) return work();
    try {
      return await span.run(work);
    } catch (error) {
      span.end({ attempts: timeline.length, error });
      throw error;
    }
  };

  /** Asks for the file, and for what each redirect leads to. */
  async function ask(from: URL, underWay: UnderWay): Promise<Download> {
    const { options, maxBytes, timeline, span } = underWay;
    let { resume } = options;
    let url = from;
    for (let redirects = 0; ; redirects++) {
      const own = ownOrigins.has(url.origin);
      const context = contextFor(url, timeline, config);
      const apiKey =
        own && options.sendKey !== false ? await resolveKey(config, context, options) : undefined;
      context.apiKey = apiKey;
      const connectTo = own ? undefined : await resolvePublicAddress(url, transport, context, options);
      const streamPart = span?.stream();
      const ended = (end: ExchangeEnd) => streamPart?.ended({ outcome: streamOutcome(end) });
      const answer = await open(url, apiKey, { connectTo, context, ended, resume }, underWay);
      if (answer.status === RANGE_NOT_SATISFIABLE && resume !== undefined) {
        // The file is another one by now, and shorter.
        resume = undefined;
        continue;
      }
      const location =
        answer.status >= 300 && answer.status <= 399 ? answer.headers.get("location") : undefined;
      if (location === undefined) {
        const file = toDownload(answer, context, { maxBytes, resume });
        const { status } = answer;
        const { requestId } = context;
        const { length: attempts } = timeline;
        streamPart?.handedOut({ attempts, status, ...(requestId !== undefined && { requestId }) });
        return file;
      }
      if (redirects === MAX_REDIRECTS) {
        throw errorFromUnreadable(`more than ${MAX_REDIRECTS} redirects`, answer.status, undefined, context);
      }
      const next = follow(location, url);
      if (next === undefined) {
        throw errorFromUnreadable("a redirect to no URL", answer.status, undefined, context);
      }
      if (url.protocol === "https:" && next.protocol === "http:") {
        throw errorFromUnreadable("a redirect from https to http", answer.status, undefined, context);
      }
      checkTarget(next, ownOrigins);
      url = next;
    }
  }

  async function open(
    url: URL,
    apiKey: string | undefined,
    { connectTo, context, ended, resume }: Hop,
    { options, maxBytes }: UnderWay,
  ): Promise<ExchangeAnswer<Uint8Array>> {
    const started = performance.now();
    const headers: Record<string, string> = { accept: "*/*", ...resumeHeaders(resume) };
    if (apiKey !== undefined) headers["authorization"] = `Bearer ${apiKey}`;
    const note = (phase: AttemptRecord["phase"], answer?: ExchangeAnswer<Uint8Array>) => {
      context.requestId = answer && readRequestId(answer.headers, apiKey);
      const ms = Math.round(performance.now() - started);
      context.timeline.push({
        address: context.address.kind,
        phase,
        status: answer?.status,
        ms,
      });
    };
    try {
      const answer = await runExchange(
        transport,
        { method: "GET", origin: url.origin, path: url.pathname + url.search, headers, connectTo },
        {
          timeoutMs: timeoutOf(options, config),
          connectTimeoutMs: config.connectTimeoutMs,
          idleTimeoutMs: context.idleTimeoutMs,
          maxBytes: 2 ** 20,
          signal: options.signal,
          createReader: () => new ByteReader(maxBytes, streamErrorsOf(context)),
          streams: "any",
          onSettled: ended,
        },
      );
      note("answered", answer);
      return answer;
    } catch (failure) {
      const { kind } = failure as ExchangeFailure;
      note(kind === "unsent" ? "unsent" : "no_answer");
      throw errorFromFailure(failure as ExchangeFailure, context, {
        retryable: kind !== "aborted",
        maybeProcessed: false,
      });
    }
  }
}

/** What the requests of one download share. */
interface UnderWay {
  options: DownloadOptions;
  maxBytes: number;
  timeline: AttemptRecord[];
  span: SafeSpan | undefined;
}

/** One request of a download. */
interface Hop {
  connectTo: string | undefined;
  context: ErrorContext;
  ended: (end: ExchangeEnd) => void;
  resume: DownloadResume | undefined;
}

function timeoutOf(options: DownloadOptions, config: GatewayConfig): number {
  return options.timeout ?? config.timeoutMs ?? LONG_TIMEOUT_MS;
}

async function resolveKey(
  config: GatewayConfig,
  context: ErrorContext,
  options: DownloadOptions,
): Promise<string> {
  const { apiKey } = config;
  if (typeof apiKey === "string") return apiKey;
  return askForKey(apiKey, { context, waitMs: timeoutOf(options, config), signal: options.signal });
}

/**
 * Resolves the name of a foreign host before anything is sent, refuses it when it leads into a private network, and
 * gives the address that was judged, so that the name cannot lead elsewhere a moment later.
 *
 * @returns undefined where names cannot be resolved here: outside Node, behind a proxy, with a `fetch` of the user's
 */
async function resolvePublicAddress(
  url: URL,
  transport: Transport,
  context: ErrorContext,
  { signal }: DownloadOptions,
): Promise<string | undefined> {
  if (!transport.resolvesHere?.()) return undefined;
  let addresses: readonly string[];
  try {
    addresses = await within(resolveHost(url.hostname), Number.POSITIVE_INFINITY, signal);
  } catch (cause) {
    if (signal?.aborted)
      throw errorFromFailure({ kind: "aborted", cause: signal.reason, sent: false }, context);
    throw errorFromFailure({ kind: "unsent", code: findErrorCode(cause), cause }, context);
  }
  // As URLs write it: a resolver may write the end of an address in digits.
  const hostOf = (address: string) =>
    address.includes(":") ? new URL(`http://[${address}]`).hostname : address;
  if (addresses.some((address) => isPrivateHost(hostOf(address)))) {
    throw new InvalidRequestError([
      { field: "url", message: `must not lead into a private network (${url.hostname})`, value: url.href },
    ]);
  }
  return addresses[0];
}

function parseSource(source: DownloadSource, config: GatewayConfig): URL {
  const text = typeof source === "string" || source instanceof URL ? String(source) : source?.url;
  try {
    // A result without an address would be read as the path `undefined`.
    if (text === undefined || text === null) throw new TypeError("There is no URL.");
    // Some routes give a path on their own host.
    return new URL(text, config.addresses.general?.origin);
  } catch (cause) {
    throw new InvalidRequestError([{ field: "url", message: "must be a URL", value: text }], { cause });
  }
}

function follow(location: string, from: URL): URL | undefined {
  try {
    return new URL(location, from);
  } catch {
    return undefined;
  }
}

function checkTarget(url: URL, ownOrigins: ReadonlySet<string>): void {
  const refuse = (message: string) => new InvalidRequestError([{ field: "url", message, value: url.href }]);
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw refuse(`must start with https: or http:, and not ${url.protocol}`);
  }
  if (!ownOrigins.has(url.origin) && isPrivateHost(url.hostname)) {
    throw refuse(`must not lead into a private network (${url.hostname})`);
  }
}

/** Signed URLs are as good as a key: messages show them without their query. */
function contextFor(url: URL, timeline: AttemptRecord[], config: GatewayConfig): ErrorContext {
  const call: Call = {
    name: "download",
    method: "GET",
    path: url.pathname,
    cost: "read",
    defaultTimeoutMs: LONG_TIMEOUT_MS,
  };
  return {
    call,
    address: { kind: "general", baseURL: url.origin, origin: url.origin, basePath: "/v1" },
    apiKey: undefined,
    timeline,
    idleTimeoutMs: config.streamIdleTimeoutMs,
  };
}

/** A weak tag cannot be asked for; who has one compares it with that of the answer. */
function resumeHeaders({ from, version }: DownloadResume = { from: 0 }): Record<string, string> {
  if (from === 0) return {};
  const headers: Record<string, string> = { range: `bytes=${from}-` };
  if (version !== undefined && !version.startsWith("W/")) headers["if-range"] = version;
  return headers;
}

function toDownload(
  answer: ExchangeAnswer<Uint8Array>,
  context: ErrorContext,
  { maxBytes, resume }: { maxBytes: number; resume: DownloadResume | undefined },
): Download {
  const { stream, status, headers } = answer;
  if (stream === undefined)
    throw errorFromErrorAnswer({ status, headers, body: parseError(answer.text) }, context);
  const refuse = (found: string) => {
    void stream.return();
    return errorFromUnreadable(found, status, undefined, context);
  };
  // A length counts encoded bytes; what arrives has been decoded.
  const encoded = encodingsOf(headers).length > 0;
  const contentLength = encoded ? undefined : readLength(headers.get("content-length"));
  const offset = status === 206 && resume ? resume.from : 0;
  if (offset > 0 && (encoded || !headers.get("content-range")?.startsWith(`bytes ${offset}-`)))
    throw refuse("another part of the file than was asked for");
  const length = offset + (contentLength ?? 0);
  if (length > maxBytes) throw refuse(`${length} bytes, more than the ${maxBytes} of maxBytes`);
  const version = encoded ? null : (headers.get("etag") ?? headers.get("last-modified"));
  return {
    contentType: headers.get("content-type") ?? "application/octet-stream",
    ...(contentLength === undefined ? {} : { contentLength }),
    ...(offset > 0 && { offset }),
    ...(version && { version }),
    ...createByteBody(stream),
  };
}

function parseError(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return text;
  }
}

function readLength(value: string | undefined): number | undefined {
  const length = Number(value);
  return Number.isInteger(length) ? length : undefined;
}

function decodeDataURL(url: URL, maxBytes: number): Download {
  const match = /^data:([^,]*?)(;base64)?,(.*)/s.exec(url.href);
  const refuse = (message: string) => new InvalidRequestError([{ field: "url", message }]);
  if (match === null) throw refuse("is not a data URL");
  const [, type = "", base64, data = ""] = match;
  const text = decodePercent(data);
  const bytes = text === undefined ? undefined : base64 ? decodeBase64(text) : new TextEncoder().encode(text);
  if (bytes === undefined) throw refuse("is a data URL that cannot be decoded");
  if (bytes.length > maxBytes)
    throw refuse(`holds ${bytes.length} bytes, more than the ${maxBytes} of maxBytes`);
  return {
    contentType: type === "" ? "text/plain" : type,
    contentLength: bytes.length,
    body: new Blob([bytes]).stream(),
    bytes: async () => bytes,
  };
}

function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
