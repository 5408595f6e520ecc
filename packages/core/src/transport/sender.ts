import { AddressHealth, addressesFor } from "../config/addresses.js";
import { checkAPIKey, checkHeaders, type GatewayConfig } from "../config/config.js";
import { isPermanentError } from "../errors/error-from-answer.js";
import { InvalidRequestError } from "../errors/errors.js";
import type { AttemptRecord } from "../errors/gateway-error.js";
import { isErrorEnvelope, readErrorBody } from "../errors/read-error-body.js";
import { VERSION } from "../version.js";
import { APIPromise, type WithResponse } from "./api-promise.js";
import type { AsyncQueue } from "./async-queue.js";
import {
  type AttemptAnswer,
  type AttemptFailure,
  type AttemptOptions,
  runAttempt,
  type StreamReader,
} from "./attempt.js";
import { type ByteBody, createByteBody } from "./byte-body.js";
import { ByteReader } from "./byte-reader.js";
import {
  type AnswerInfo,
  type Call,
  checkRequestOptions,
  pathOn,
  type RequestOptions,
  readRequestId,
} from "./call.js";
import {
  type ErrorContext,
  errorFromErrorAnswer,
  errorFromFailure,
  errorFromUnreadable,
} from "./call-errors.js";
import { delay } from "./delay.js";
import { expectBinary } from "./expect-binary.js";
import { JSONStreamReader, type StreamShape } from "./json-stream-reader.js";
import { readRetryAfter } from "./retry-after.js";
import { type AttemptOutcome, decideRetry, type RetryDecision } from "./retry-policy.js";
import type { Transport } from "./transport.js";

/** Throw away an answer that is no answer: builds the `InvalidResponseError` to throw. */
export type Unreadable = (what: string) => Error;

/** A stream whose head has arrived. */
export interface OpenStream<E> {
  queue: AsyncQueue<E>;
  /** Ends the stream with an `APIUserAbortError` and closes the connection. */
  abort(reason?: unknown): void;
}

/** Sends calls. Resources get this and nothing else: it keeps the key and the policy in its closure. */
export interface Sender {
  /** Sends a call and reads its JSON answer. */
  json<T>(
    call: Call,
    options: RequestOptions | undefined,
    read: (body: unknown, unreadable: Unreadable, info: AnswerInfo) => T,
  ): APIPromise<T>;
  /** Sends a call and reads its answer as a stream of JSON events. */
  stream<E, T>(
    call: Call,
    options: RequestOptions | undefined,
    shape: () => StreamShape<E>,
    wrap: (stream: OpenStream<E>) => T,
  ): APIPromise<T>;
  /** Sends a call and reads its answer as bytes. Text of any kind is an error, whatever its status and type. */
  bytes<T>(
    call: Call,
    options: RequestOptions | undefined,
    wrap: (body: ByteBody, contentType: string | undefined) => T,
  ): APIPromise<T>;
}

/** Largest answer that is kept in memory, in bytes. A string cannot be much longer. */
const MAX_BODY_BYTES = 400 * 2 ** 20;
/** Largest answer that is passed on as bytes. */
const MAX_BINARY_BYTES = 2 * 2 ** 30;

/** How an answer is read while it arrives. */
interface Reading<E> extends Pick<AttemptOptions<E>, "streams" | "streamLimit"> {
  /** Media types to ask for. */
  accept: string;
  createReader(context: ErrorContext): StreamReader<E>;
}

interface Finished<E> {
  answer: AttemptAnswer<E>;
  /** Parsed body, when the answer is not a stream. */
  body: unknown;
  info: AnswerInfo;
  context: ErrorContext;
}

export function createSender(config: GatewayConfig, transport: Transport): Sender {
  const health = new AddressHealth();
  const baseHeaders: Record<string, string> = {
    accept: "application/json",
    "user-agent": `model-gateway-core/${VERSION}`,
    ...config.headers,
  };

  async function send<E>(call: Call, options: RequestOptions, reading?: Reading<E>): Promise<Finished<E>> {
    checkRequestOptions(options);
    call.check?.();
    const body = encodeBody(call);
    const candidates = addressesFor(config.addresses, options.route ?? config.route, call);
    const callHeaders = checkHeaders(options.headers);
    const idempotencyKey =
      call.cost === "billable" ? (options.idempotencyKey ?? crypto.randomUUID()) : options.idempotencyKey;
    const timeoutMs = options.timeout ?? config.timeoutMs ?? call.defaultTimeoutMs;
    const { signal } = options;
    const timeline: AttemptRecord[] = [];

    for (;;) {
      const address = health.choose(candidates, performance.now());
      const apiKey =
        typeof config.apiKey === "string" ? config.apiKey : String(checkAPIKey(await config.apiKey()));
      const context: ErrorContext = {
        call,
        address,
        apiKey,
        timeline,
        timeoutMs,
        idleTimeoutMs: config.streamIdleTimeoutMs,
      };
      const path = pathOn(address, call) + (call.query ? `?${call.query}` : "");
      const started = performance.now();
      const record = (phase: AttemptRecord["phase"], answer?: AttemptAnswer<E>) => {
        context.requestId = answer && readRequestId(answer.headers);
        timeline.push({
          address: address.kind,
          phase,
          ms: Math.round(performance.now() - started),
          ...(answer === undefined ? {} : { status: answer.status }),
          ...(context.requestId === undefined ? {} : { requestId: context.requestId }),
        });
      };
      let outcome: AttemptOutcome;
      let toError: (decision: RetryDecision) => unknown;

      try {
        const answer = await runAttempt<E>(
          transport,
          {
            method: call.method,
            origin: address.origin,
            path,
            headers: requestHeaders(baseHeaders, callHeaders, apiKey, call, reading?.accept, idempotencyKey),
            body,
          },
          {
            timeoutMs,
            idleTimeoutMs: config.streamIdleTimeoutMs,
            maxBytes: MAX_BODY_BYTES,
            signal,
            createReader: reading && (() => reading.createReader(context)),
            streams: reading?.streams,
            streamLimit: reading?.streamLimit,
          },
        );
        record("answered", answer);
        const success = answer.status >= 200 && answer.status <= 299;
        const info = {
          status: answer.status,
          headers: answer.headers,
          url: address.origin + path,
          requestId: context.requestId,
          timeline,
        };
        if (success && answer.stream !== undefined) return { answer, body: undefined, info, context };
        const parsed = parseBody(answer.text ?? "");
        if (success && !isErrorEnvelope(parsed.body)) {
          const acceptable = parsed.isJSON || (call.mayBeEmpty && parsed.body === undefined);
          if (!acceptable) throw errorFromUnreadable(parsed.what, answer.status, answer.text, context);
          return { answer, body: parsed.body, info, context };
        }
        const retryAfterMs = readRetryAfter(answer.headers, Date.now());
        outcome = {
          phase: "answered",
          status: answer.status,
          permanent: isPermanentError(answer.status, readErrorBody(parsed.body)),
          retryAfterMs,
        };
        const errorAnswer = {
          status: answer.status,
          headers: answer.headers,
          body: parsed.body,
          retryAfterMs,
        };
        toError = (decision) => errorFromErrorAnswer(errorAnswer, context, decision);
      } catch (thrown) {
        if (!isAttemptFailure(thrown)) throw thrown;
        const sent = thrown.kind !== "unsent" && !(thrown.kind === "aborted" && !thrown.sent);
        record(sent ? "no_answer" : "unsent");
        if (thrown.kind === "unsent" && thrown.code !== "UND_ERR_INVALID_ARG") outcome = { phase: "unsent" };
        else if (thrown.kind === "reset" || thrown.kind === "timeout")
          outcome = { phase: "no_answer", cause: thrown.kind };
        // An abort after the request left, or an answer too large to keep, leaves a paid create in doubt.
        else
          throw errorFromFailure(thrown, context, {
            retryable: false,
            maybeProcessed: sent && call.cost === "billable",
          });
        toError = (decision) => errorFromFailure(thrown, context, decision);
      }

      const decision = decideRetry(outcome, {
        cost: call.cost,
        retryBillable: options.retryBillable ?? config.retryBillable,
        attempts: timeline.length,
        maxRetries: options.maxRetries ?? config.maxRetries,
        deadlineMs: timeoutMs,
        random: Math.random,
      });
      if (decision.delayMs === undefined) throw toError(decision);
      const failsOver = candidates.length > 1 && isUnreachable(outcome, call);
      if (failsOver) health.markDown(address.kind, performance.now());
      // Another address that is up is tried at once.
      const elsewhere = failsOver && health.choose(candidates, performance.now()) !== address;
      if (elsewhere) continue;
      try {
        await delay(decision.delayMs, signal);
      } catch (reason) {
        throw errorFromFailure({ kind: "aborted", cause: reason, sent: false }, context);
      }
    }
  }

  return {
    json(call, options = {}, read) {
      return new APIPromise(
        send<never>(call, options).then(({ body, info, context }) => {
          const unreadable = (what: string) => errorFromUnreadable(what, info.status, body, context);
          return withResponse(read(body, unreadable, info), info);
        }),
      );
    },

    stream(call, options = {}, shape, wrap) {
      const reading = {
        accept: "text/event-stream",
        createReader: (context: ErrorContext) => new JSONStreamReader(shape(), context),
      };
      return new APIPromise(
        send(call, options, reading).then(({ answer: { stream }, body, info, context }) => {
          if (stream === undefined) {
            throw errorFromUnreadable(
              "a whole answer where a stream was asked for",
              info.status,
              body,
              context,
            );
          }
          const abort = (reason?: unknown) =>
            stream.cancel(errorFromFailure({ kind: "aborted", cause: reason, sent: true }, context));
          return withResponse(wrap({ queue: stream, abort }), info);
        }),
      );
    },

    bytes(call, options = {}, wrap) {
      const reading: Reading<Uint8Array> = {
        accept: "*/*",
        streams: "any",
        streamLimit: "whole",
        createReader: (context) => new ByteReader(MAX_BINARY_BYTES, context),
      };
      return new APIPromise(
        send(call, options, reading).then(async ({ answer: { stream }, info, context }) => {
          if (stream === undefined) throw errorFromUnreadable("no body", info.status, undefined, context);
          await expectBinary(stream, info, context);
          return withResponse(wrap(createByteBody(stream), info.headers.get("content-type")), info);
        }),
      );
    },
  };
}

function encodeBody(call: Call): string | undefined {
  if (call.body === undefined) return undefined;
  try {
    return JSON.stringify(call.body);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split("\n")[0] : String(cause);
    throw new InvalidRequestError([{ field: "body", message: `cannot be written as JSON (${reason})` }], {
      method: call.method,
      path: call.path,
      cause,
    });
  }
}

function requestHeaders(
  base: Record<string, string>,
  own: Record<string, string>,
  apiKey: string,
  call: Call,
  accept: string | undefined,
  idempotencyKey: string | undefined,
): Record<string, string> {
  const headers: Record<string, string> = { ...base, ...own, authorization: `Bearer ${apiKey}` };
  if (call.body !== undefined) headers["content-type"] = "application/json";
  if (accept !== undefined) headers["accept"] = accept;
  // A key among the caller's headers is the caller's choice.
  if (idempotencyKey !== undefined) headers["idempotency-key"] ??= idempotencyKey;
  return headers;
}

interface ParsedBody {
  isJSON: boolean;
  body: unknown;
  /** For messages: what the body is when it is not JSON. */
  what: string;
}

function parseBody(text: string): ParsedBody {
  if (text.trim() === "") return { isJSON: false, body: undefined, what: "an empty body" };
  try {
    return { isJSON: true, body: JSON.parse(text), what: "JSON" };
  } catch {
    return { isJSON: false, body: text, what: /^\s*</.test(text) ? "a web page" : "broken JSON" };
  }
}

function isAttemptFailure(thrown: unknown): thrown is AttemptFailure {
  return typeof thrown === "object" && thrown !== null && !(thrown instanceof Error) && "kind" in thrown;
}

/** Failover needs a failure in which nothing was sent; reads also leave an address that answers with 5xx. */
function isUnreachable(outcome: AttemptOutcome, call: Call): boolean {
  if (outcome.phase === "unsent") return true;
  if (call.cost !== "read") return false;
  return outcome.phase === "no_answer" || outcome.status >= 500;
}

function withResponse<T>(data: T, info: AnswerInfo): WithResponse<T> {
  return {
    data,
    // Built when somebody looks: most callers never do.
    get response() {
      return { status: info.status, headers: new Headers(info.headers.toRecord()), url: info.url };
    },
    requestId: info.requestId,
    attempts: info.timeline.length,
  };
}
