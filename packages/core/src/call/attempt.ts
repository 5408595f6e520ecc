import type { Address, AddressHealth } from "../config/addresses.js";
import type { Expense } from "../config/call-budget.js";
import type { GatewayConfig } from "../config/config.js";
import { meaningOf } from "../errors/answer-meaning.js";
import { type AttemptRecord, GatewayError } from "../errors/gateway-error.js";
import { isErrorEnvelope, readErrorBody } from "../errors/read-error-body.js";
import type { CallEvent, Observer } from "../hooks/observer.js";
import type { SafeSpan, TracedCall } from "../hooks/tracer.js";
import { parseJSON } from "../json/parse-json.js";
import type { StreamReader } from "../streams/stream-reader.js";
import type { EncodedBody } from "../transport/encoded-body.js";
import type { ExchangeFailure } from "../transport/exchange-failure.js";
import type { Transport } from "../transport/transport.js";
import { askForKey } from "./ask-for-key.js";
import {
  type AnswerInfo,
  type Call,
  type Deadline,
  headOf,
  MAX_JSON_BYTES,
  pathOn,
  type RequestOptions,
  readRequestId,
} from "./call.js";
import {
  type ErrorContext,
  errorFromErrorAnswer,
  errorFromFailure,
  errorFromRefusal,
  errorFromUnreadable,
  type Verdict,
} from "./call-errors.js";
import type { CallGate, TurnRefusal } from "./call-gate.js";
import { OUT_OF_TIME, within } from "./delay.js";
import { type ExchangeAnswer, type ExchangeEnd, type ExchangeOptions, runExchange } from "./exchange.js";
import { redactKey, redactText } from "./redact.js";
import { readRetryAfter } from "./retry-after.js";
import type { RetryBudget } from "./retry-budget.js";
import type { AttemptOutcome } from "./retry-policy.js";

/** What all calls of a client share. */
export interface ClientRuntime {
  config: GatewayConfig;
  transport: Transport;
  health: AddressHealth;
  gate: CallGate;
  budget: RetryBudget;
  observer: Observer | undefined;
  /** @returns undefined where nobody traces */
  startSpan: (call: () => TracedCall) => SafeSpan | undefined;
  /** Sent with every request. */
  headers: Readonly<Record<string, string>>;
}

/** A call that got its answer, or the head of its stream. */
export interface FinishedCall<E> {
  answer: ExchangeAnswer<E>;
  /** Parsed body, when the answer is not a stream. */
  body: unknown;
  info: AnswerInfo;
  context: ErrorContext;
  /** Ended by whoever reads the answer; that of a stream that was handed out ends by itself. */
  span: SafeSpan | undefined;
  /** What it spends of a budget. */
  expense: Expense | undefined;
  /** Of a stream: the caller gets it. */
  handOut?: (() => void) | undefined;
  /** Of a stream: knows its usage. */
  reader?: StreamReader<E> | undefined;
}

/** How an answer is read while it arrives. */
export interface Reading<E> extends Pick<ExchangeOptions<E>, "streams" | "streamLimit"> {
  /** Media types to ask for. */
  accept: string;
  /** Called per attempt, when a successful answer begins. */
  createReader(context: ErrorContext): StreamReader<E>;
}

/** A call that has passed every check, ready for its attempts. */
export interface PreparedCall<E> {
  call: Call;
  options: RequestOptions;
  encoded: EncodedBody;
  headers: Record<string, string>;
  candidates: readonly Address[];
  timeoutMs: number;
  deadline: Deadline | undefined;
  timeline: AttemptRecord[];
  reading: Reading<E> | undefined;
  span: SafeSpan | undefined;
  /** What it spends of a budget. Made with the first attempt. */
  expense?: Expense | undefined;
}

/** An attempt that may be followed by another. */
export interface FailedAttempt {
  outcome: AttemptOutcome;
  toError: (verdict: Verdict) => unknown;
}

/**
 * Runs one attempt of a call: waits for its turn, tells the hooks, judges what came back. Throws what no other
 * attempt can mend.
 */
export async function runAttempt<E>(
  runtime: ClientRuntime,
  prepared: PreparedCall<E>,
  address: Address,
): Promise<FinishedCall<E> | FailedAttempt> {
  const { config, gate, observer } = runtime;
  const { call, options, deadline, timeline, timeoutMs, reading, span } = prepared;
  const freshKey = (source: () => string | Promise<string>) => {
    const waitMs = Math.max(1, Math.min(timeoutMs, timeLeft(deadline)));
    return askForKey(source, { context, waitMs, signal: options.signal });
  };
  const context: ErrorContext = {
    call,
    address,
    apiKey: undefined,
    timeline,
    idleTimeoutMs: config.streamIdleTimeoutMs,
  };
  const apiKey = typeof config.apiKey === "string" ? config.apiKey : await freshKey(config.apiKey);
  context.apiKey = apiKey;
  const event = eventOf(call, address, timeline.length + 1);
  prepared.expense ??= config.spending?.begin(prepared);
  const { expense } = prepared;
  // Before its turn: a call that does not fit need not wait for one.
  const room = expense?.reserve(apiKey);
  if (room) await waitForRoom(room, prepared, context);
  const lane = `${address.kind} ${event.model ?? call.name}`;
  await enterGate(gate, lane, prepared, context);
  if (timeLeft(deadline) <= 0) {
    gate.leave(lane);
    throw errorFromRefusal({ kind: "out_of_time" }, context, deadline?.ms ?? 0);
  }

  observer?.onRequest(event);
  const started = performance.now();
  let reader: StreamReader<E> | undefined;
  let headAt = started;
  const streamPart = span?.stream();
  let answer: ExchangeAnswer<E>;
  try {
    answer = await runExchange<E>(
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
        connectTimeoutMs: options.connectTimeout ?? config.connectTimeoutMs,
        deadline,
        idleTimeoutMs: config.streamIdleTimeoutMs,
        maxBytes: call.maxBytes ?? MAX_JSON_BYTES,
        signal: options.signal,
        createBodyReader: call.createBodyReader,
        streams: reading?.streams,
        streamLimit: reading?.streamLimit,
        createReader:
          reading &&
          ((head) => {
            headAt = performance.now();
            // Before the first event: what a reader throws tells of this attempt, too.
            record(context, "answered", started, head);
            reader = reading.createReader(context);
            return reader;
          }),
        onSettled: (end) => {
          gate.leave(lane);
          if (reader === undefined) return;
          expense?.ended();
          const outcome = streamOutcome(end);
          streamPart?.ended({ outcome, result: reader.partial?.() });
          observer?.onStreamEnd({
            ...event,
            ms: Math.round(performance.now() - headAt),
            outcome,
            ...known({ requestId: context.requestId, usage: reader.usage?.() }),
          });
        },
      },
    );
  } catch (thrown) {
    return afterFailure(thrown as ExchangeFailure, context, started);
  }

  if (reader === undefined) record(context, "answered", started, answer);
  const { status } = answer;
  const tell = (usage?: unknown) =>
    observer?.onResponse({
      ...event,
      status,
      ms: timeline.at(-1)?.ms ?? 0,
      ...known({ requestId: context.requestId, usage }),
    });
  const success = status >= 200 && status <= 299;
  if (success && answer.stream !== undefined) {
    gate.succeeded(lane);
    runtime.budget.succeeded(timeline.length);
    tell();
    const info = infoOf(answer, context, span);
    const handOut = streamPart && (() => streamPart.handedOut(headOf(info)));
    return { answer, body: undefined, info, context, span, expense, handOut, reader };
  }
  // A model may write what has the form of a key; the key itself never comes back.
  const read = answer.body?.parse(apiKey);
  const parsed = read
    ? { body: read, isJSON: true, what: "JSON" }
    : parseBody(redactKey(answer.text ?? "", apiKey));
  tell((parsed.body as { usage?: unknown } | undefined | null)?.usage);
  const findError = call.findError ?? findEnvelope;
  const found = success ? findError(parsed.body) : parsed.body;
  if (success && found === undefined) {
    const acceptable = parsed.isJSON || (call.mayBeEmpty && parsed.body === undefined);
    if (!acceptable) throw errorFromUnreadable(parsed.what, status, answer.text, context);
    gate.succeeded(lane);
    runtime.budget.succeeded(timeline.length);
    return { answer, body: parsed.body, info: infoOf(answer, context, span), context, span, expense };
  }
  const retryAfterMs = readRetryAfter(answer.headers, Date.now());
  const errorBody = readErrorBody(found);
  const meaning = meaningOf(status, errorBody);
  if (meaning === 429) gate.slowDown(lane, retryAfterMs);
  const attempt = timeline.at(-1) as AttemptRecord;
  if (meaning !== status) attempt.meaning = meaning;
  if (context.requestId === undefined && errorBody.requestId !== undefined) {
    attempt.requestId = context.requestId = redactText(errorBody.requestId, apiKey);
  }
  const errorAnswer = { status, headers: answer.headers, body: found, retryAfterMs };
  return {
    outcome: { phase: "answered", status: meaning, retryAfterMs },
    toError: (decision) => errorFromErrorAnswer(errorAnswer, context, decision),
  };
}

function findEnvelope(body: unknown): unknown {
  return isErrorEnvelope(body) ? body : undefined;
}

/** Milliseconds until the deadline of a call; `Infinity` where it has none. */
export function timeLeft(deadline: { at: number } | undefined): number {
  return deadline === undefined ? Number.POSITIVE_INFINITY : deadline.at - performance.now();
}

/** What hangs is not waited for longer than the call may take. */
async function waitForRoom<E>(
  room: Promise<void>,
  { options: { signal }, deadline }: PreparedCall<E>,
  context: ErrorContext,
): Promise<void> {
  try {
    await within(room, timeLeft(deadline), signal);
  } catch (cause) {
    const late = cause === OUT_OF_TIME;
    if (!late && !signal?.aborted) throw cause;
    throw errorFromRefusal({ kind: late ? "out_of_time" : "aborted", cause }, context, deadline?.ms ?? 0);
  }
}

async function enterGate<E>(
  gate: CallGate,
  lane: string,
  { options: { signal }, deadline, timeoutMs }: PreparedCall<E>,
  context: ErrorContext,
): Promise<void> {
  const maxWaitMs = timeLeft(deadline);
  const turn = gate.enter({ lane, signal, maxPauseMs: Math.min(timeoutMs, maxWaitMs), maxWaitMs });
  if (turn === undefined) return;
  try {
    await turn;
  } catch (refusal) {
    throw errorFromRefusal(refusal as TurnRefusal, context, deadline?.ms ?? 0);
  }
}

function afterFailure(failure: ExchangeFailure, context: ErrorContext, started: number): FailedAttempt {
  const { kind } = failure;
  const sent = "sent" in failure ? failure.sent : kind !== "unsent";
  record(context, sent ? "no_answer" : "unsent", started);
  const toError = (decision: Verdict) => errorFromFailure(failure, context, decision);
  if (kind === "unsent" && failure.code !== "UND_ERR_INVALID_ARG")
    return { outcome: { phase: "unsent" }, toError };
  if (kind === "timeout" && !sent) return { outcome: { phase: "unsent" }, toError };
  if (kind === "reset" || kind === "timeout")
    return { outcome: { phase: "no_answer", cause: kind }, toError };
  // An abort after the request left, or an answer too large to keep, leaves a paid create in doubt.
  throw errorFromFailure(failure, context);
}

function record<E>(
  context: ErrorContext,
  phase: AttemptRecord["phase"],
  started: number,
  answer?: Pick<ExchangeAnswer<E>, "status" | "headers">,
): void {
  const requestId = answer && readRequestId(answer.headers, context.apiKey);
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
  answer: ExchangeAnswer<E>,
  { address, call, requestId, timeline }: ErrorContext,
  span: SafeSpan | undefined,
): AnswerInfo {
  return {
    status: answer.status,
    headers: answer.headers,
    url: address.origin + requestPath(address, call),
    requestId,
    timeline,
    // Few ask for it, and writing it down takes longer than the rest of this.
    get trace() {
      return span?.context;
    },
  };
}

function requestPath(address: Address, call: Call): string {
  return pathOn(address, call) + (call.query ? `?${call.query}` : "");
}

/** What hooks are told of an attempt. */
export function eventOf(call: Call, address: Address, attempt: number): CallEvent {
  const { model, model_name = model } = (call.body ?? call) as { model?: unknown; model_name?: unknown };
  const event = { call: call.name, method: call.method, path: call.path, address: address.kind, attempt };
  return typeof model_name === "string" ? { ...event, model: model_name } : event;
}

/** Tells the hooks of an error that the caller gets. */
export function tellFailure(observer: Observer | undefined, event: CallEvent, error: unknown): void {
  if (observer === undefined || !GatewayError.isInstance(error)) return;
  const { kind, maybeProcessed, requestId } = error;
  const { status } = error as { status?: number };
  observer.onFailure({ ...event, kind, maybeProcessed, ...known({ status, requestId }) });
}

/** How hooks and traces name the end of a stream. */
export function streamOutcome(end: ExchangeEnd) {
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
    return { isJSON: true, body: parseJSON(text), what: "JSON" };
  } catch {
    return { isJSON: false, body: text, what: /^\s*</.test(text) ? "a web page" : "broken JSON" };
  }
}

/** The entries that have a value. */
function known<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
