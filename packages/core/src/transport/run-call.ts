import { type Address, type AddressHealth, addressesFor } from "../config/addresses.js";
import { checkAPIKey, checkHeaders, type GatewayConfig } from "../config/config.js";
import { isPermanentError } from "../errors/error-from-answer.js";
import type { AttemptRecord } from "../errors/gateway-error.js";
import { isErrorEnvelope, readErrorBody } from "../errors/read-error-body.js";
import {
  type AttemptAnswer,
  type AttemptEnd,
  type AttemptFailure,
  type AttemptOptions,
  runAttempt,
  type StreamReader,
} from "./attempt.js";
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
import type { CallGate } from "./call-gate.js";
import { delay } from "./delay.js";
import { type EncodedBody, encodeBody } from "./encode-body.js";
import type { CallEvent, Observer } from "./observer.js";
import { readRetryAfter } from "./retry-after.js";
import { type AttemptOutcome, decideRetry, type RetryDecision } from "./retry-policy.js";
import type { Transport } from "./transport.js";

/** What all calls of a client share. */
export interface ClientRuntime {
  config: GatewayConfig;
  transport: Transport;
  health: AddressHealth;
  gate: CallGate;
  observer: Observer | undefined;
  /** Sent with every request. */
  headers: Readonly<Record<string, string>>;
}

/** A call that got its answer, or the head of its stream. */
export interface FinishedCall<E> {
  answer: AttemptAnswer<E>;
  /** Parsed body, when the answer is not a stream. */
  body: unknown;
  info: AnswerInfo;
  context: ErrorContext;
}

/** How an answer is read while it arrives. */
export interface Reading<E> extends Pick<AttemptOptions<E>, "streams" | "streamLimit"> {
  /** Media types to ask for. */
  accept: string;
  /** Called per attempt, when a successful answer begins. */
  createReader(context: ErrorContext): StreamReader<E>;
}

interface PreparedCall<E> {
  call: Call;
  options: RequestOptions;
  encoded: EncodedBody;
  headers: Record<string, string>;
  candidates: readonly Address[];
  timeoutMs: number;
  timeline: AttemptRecord[];
  reading: Reading<E> | undefined;
}

/** An attempt that may be followed by another. */
interface FailedAttempt {
  outcome: AttemptOutcome;
  toError: (decision: RetryDecision) => unknown;
}

/** Largest answer that is kept in memory, in bytes. A string cannot be much longer. */
const MAX_BODY_BYTES = 400 * 2 ** 20;

/** Runs a call to its answer: attempts, waits and failover, until the policy says that it is over. */
export async function runCall<E>(
  runtime: ClientRuntime,
  call: Call,
  options: RequestOptions,
  reading?: Reading<E>,
): Promise<FinishedCall<E>> {
  const prepared = prepare(runtime, call, options, reading);
  const { timeline } = prepared;
  for (;;) {
    const address = runtime.health.choose(prepared.candidates, performance.now());
    const result = await attemptOnce(runtime, prepared, address);
    if (!("outcome" in result)) return result;

    const decision = decideRetry(result.outcome, {
      cost: call.cost,
      retryBillable: options.retryBillable ?? runtime.config.retryBillable,
      attempts: timeline.length,
      // A stream among the parts has been read: there is nothing to send again.
      maxRetries: prepared.encoded.replayable ? (options.maxRetries ?? runtime.config.maxRetries) : 0,
      deadlineMs: prepared.timeoutMs,
      random: Math.random,
    });
    if (decision.delayMs === undefined) throw result.toError(decision);
    await beforeNextAttempt(runtime, prepared, address, result.outcome, decision.delayMs);
  }
}

/** Checks everything that can be checked before anything is sent. */
function prepare<E>(
  { config, headers }: ClientRuntime,
  call: Call,
  options: RequestOptions,
  reading: Reading<E> | undefined,
): PreparedCall<E> {
  checkRequestOptions(options);
  call.check?.();
  const encoded = encodeBody(call);
  const own: Record<string, string> = { ...headers, ...checkHeaders(options.headers) };
  if (encoded.contentType !== undefined) own["content-type"] = encoded.contentType;
  if (reading !== undefined) own["accept"] = reading.accept;
  const idempotencyKey =
    options.idempotencyKey ?? (call.cost === "billable" ? crypto.randomUUID() : undefined);
  // A key among the caller's headers is the caller's choice.
  if (idempotencyKey !== undefined) own["idempotency-key"] ??= idempotencyKey;
  return {
    call,
    options,
    encoded,
    headers: own,
    candidates: addressesFor(config.addresses, options.route ?? config.route, call),
    timeoutMs: options.timeout ?? config.timeoutMs ?? call.defaultTimeoutMs,
    timeline: [],
    reading,
  };
}

/** Throws what no other attempt can mend. */
async function attemptOnce<E>(
  runtime: ClientRuntime,
  prepared: PreparedCall<E>,
  address: Address,
): Promise<FinishedCall<E> | FailedAttempt> {
  const { config, gate, observer } = runtime;
  const { call, options, timeline, timeoutMs, reading } = prepared;
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
  await enterGate(gate, options.signal, context);

  const event = observer && eventOf(call, address, timeline.length + 1);
  if (event) observer.onRequest(event);
  const started = performance.now();
  let reader: StreamReader<E> | undefined;
  let headAt = started;
  let answer: AttemptAnswer<E>;
  try {
    answer = await runAttempt<E>(
      runtime.transport,
      {
        method: call.method,
        origin: address.origin,
        path: requestPath(address, call),
        headers: { ...prepared.headers, authorization: `Bearer ${apiKey}` },
        body: prepared.encoded.body,
      },
      {
        timeoutMs,
        idleTimeoutMs: config.streamIdleTimeoutMs,
        maxBytes: MAX_BODY_BYTES,
        signal: options.signal,
        streams: reading?.streams,
        streamLimit: reading?.streamLimit,
        createReader:
          reading &&
          (() => {
            headAt = performance.now();
            reader = reading.createReader(context);
            return reader;
          }),
        onSettled: (end) => {
          gate.leave();
          if (event === undefined || reader === undefined) return;
          const ms = Math.round(performance.now() - headAt);
          observer?.onStreamEnd({
            ...event,
            ms,
            outcome: streamOutcome(end),
            ...known({ requestId: context.requestId, usage: reader.usage?.() }),
          });
        },
      },
    );
  } catch (thrown) {
    return afterFailure(thrown as AttemptFailure, context, started);
  }

  record(context, "answered", started, answer);
  const { status } = answer;
  const tell = (usage?: unknown) =>
    event &&
    observer?.onResponse({
      ...event,
      status,
      ms: timeline.at(-1)?.ms ?? 0,
      ...known({ requestId: context.requestId, usage }),
    });
  const success = status >= 200 && status <= 299;
  if (success && answer.stream !== undefined) {
    gate.succeeded();
    tell();
    return { answer, body: undefined, info: infoOf(answer, context), context };
  }
  const parsed = parseBody(answer.text ?? "");
  tell((parsed.body as { usage?: unknown } | undefined | null)?.usage);
  if (success && !isErrorEnvelope(parsed.body)) {
    const acceptable = parsed.isJSON || (call.mayBeEmpty && parsed.body === undefined);
    if (!acceptable) throw errorFromUnreadable(parsed.what, status, answer.text, context);
    gate.succeeded();
    return { answer, body: parsed.body, info: infoOf(answer, context), context };
  }
  const retryAfterMs = readRetryAfter(answer.headers, Date.now());
  if (status === 429) gate.slowDown(retryAfterMs);
  const permanent = isPermanentError(status, readErrorBody(parsed.body));
  const errorAnswer = { status, headers: answer.headers, body: parsed.body, retryAfterMs };
  return {
    outcome: { phase: "answered", status, permanent, retryAfterMs },
    toError: (decision) => errorFromErrorAnswer(errorAnswer, context, decision),
  };
}

async function enterGate(
  gate: CallGate,
  signal: AbortSignal | undefined,
  context: ErrorContext,
): Promise<void> {
  const turn = gate.enter(signal);
  if (turn === undefined) return;
  try {
    await turn;
  } catch (cause) {
    throw errorFromFailure({ kind: "aborted", cause, sent: false }, context);
  }
}

function afterFailure(failure: AttemptFailure, context: ErrorContext, started: number): FailedAttempt {
  const { kind } = failure;
  const sent = kind !== "unsent" && !(kind === "aborted" && !failure.sent);
  record(context, sent ? "no_answer" : "unsent", started);
  const toError = (decision: RetryDecision) => errorFromFailure(failure, context, decision);
  if (kind === "unsent" && failure.code !== "UND_ERR_INVALID_ARG")
    return { outcome: { phase: "unsent" }, toError };
  if (kind === "reset" || kind === "timeout")
    return { outcome: { phase: "no_answer", cause: kind }, toError };
  // An abort after the request left, or an answer too large to keep, leaves a paid create in doubt.
  throw toError({ retryable: false, maybeProcessed: sent && context.call.cost === "billable" });
}

/** Moves to another address at once where one is up, else waits. */
async function beforeNextAttempt<E>(
  { health, observer }: ClientRuntime,
  { call, options, candidates, timeline }: PreparedCall<E>,
  address: Address,
  outcome: AttemptOutcome,
  delayMs: number,
): Promise<void> {
  const event = observer && eventOf(call, address, timeline.length);
  const failsOver = candidates.length > 1 && isUnreachable(outcome, call);
  if (failsOver) health.markDown(address.kind, performance.now());
  const next = failsOver ? health.choose(candidates, performance.now()) : address;
  if (next !== address) {
    if (event) observer.onFailover({ ...event, to: next.kind });
    return;
  }
  const reason = outcome.phase === "answered" ? `answered ${outcome.status}` : outcome.phase;
  if (event) observer.onRetry({ ...event, reason, delayMs });
  try {
    await delay(delayMs, options.signal);
  } catch (cause) {
    const context = { call, address, apiKey: undefined, timeline, timeoutMs: 0, idleTimeoutMs: 0 };
    throw errorFromFailure({ kind: "aborted", cause, sent: false }, context);
  }
}

/** Failover needs a failure in which nothing was sent; reads also leave an address that answers with 5xx. */
function isUnreachable(outcome: AttemptOutcome, call: Call): boolean {
  if (outcome.phase === "unsent") return true;
  if (call.cost !== "read") return false;
  return outcome.phase === "no_answer" || outcome.status >= 500;
}

function record<E>(
  context: ErrorContext,
  phase: AttemptRecord["phase"],
  started: number,
  answer?: AttemptAnswer<E>,
): void {
  const requestId = answer && readRequestId(answer.headers);
  context.requestId = requestId;
  const ms = Math.round(performance.now() - started);
  context.timeline.push({
    address: context.address.kind,
    phase,
    ms,
    ...known({ status: answer?.status, requestId }),
  });
}

function infoOf<E>(
  answer: AttemptAnswer<E>,
  { address, call, requestId, timeline }: ErrorContext,
): AnswerInfo {
  return {
    status: answer.status,
    headers: answer.headers,
    url: address.origin + requestPath(address, call),
    requestId,
    timeline,
  };
}

function requestPath(address: Address, call: Call): string {
  return pathOn(address, call) + (call.query ? `?${call.query}` : "");
}

function eventOf(call: Call, address: Address, attempt: number): CallEvent {
  return { call: call.name, method: call.method, path: call.path, address: address.kind, attempt };
}

function streamOutcome(end: AttemptEnd) {
  if (typeof end === "string") return end;
  return end.kind === "aborted" ? "aborted" : "interrupted";
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

/** The entries that have a value. */
function known<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
