import type { Address } from "../config/addresses.js";
import { classOf, isQuotaExhausted, meaningOf } from "../errors/answer-meaning.js";
import { type APIError, RateLimitError } from "../errors/api-error.js";
import {
  APIConnectionError,
  APITimeoutError,
  APIUserAbortError,
  ConfigurationError,
  InvalidResponseError,
  StreamInterruptedError,
  type StreamInterruption,
} from "../errors/errors.js";
import type { AttemptRecord, GatewayError, GatewayErrorDetails } from "../errors/gateway-error.js";
import { readErrorBody } from "../errors/read-error-body.js";
import type { StreamErrors } from "../streams/stream-reader.js";
import type { ExchangeFailure } from "../transport/exchange-failure.js";
import type { ResponseHeaders } from "../transport/transport.js";
import { type Call, pathOn } from "./call.js";
import type { TurnRefusal } from "./call-gate.js";
import { redactText, redactValue } from "./redact.js";
import { mayHaveBeenBilled } from "./retry-policy.js";
import { judgeStatus } from "./status-table.js";

/** What the messages of one call's errors are made from. */
export interface ErrorContext {
  call: Call;
  address: Address;
  /** For redaction only. */
  apiKey: string | undefined;
  timeline: AttemptRecord[];
  requestId?: string;
  idleTimeoutMs: number;
}

/** Judgement of the retry policy, to be written on the error. */
export interface Verdict {
  retryable: boolean;
  maybeProcessed: boolean;
  /** The call was not repeated because the client has used up its retries. */
  outOfBudget?: boolean;
}

type ErrorClass = new (message: string, details: never) => GatewayError;

/** What an error class is told of a failure, beyond what is known of its call. */
type Extra<C extends ErrorClass> = Omit<
  NonNullable<ConstructorParameters<C>[1]>,
  Exclude<keyof GatewayErrorDetails, "cause">
>;

/** Builds an error: what happened, what it means for money, and what is known of the call. */
function build<C extends ErrorClass>(
  errorClass: C,
  text: string,
  context: ErrorContext,
  verdict: Verdict,
  extra: Extra<C>,
): InstanceType<C> {
  const { call, requestId, timeline, apiKey } = context;
  const { retryable, maybeProcessed } = verdict;
  return new errorClass(text + moneyHint(context, verdict), {
    method: call.method,
    path: call.path,
    requestId,
    timeline: [...timeline],
    retryable,
    maybeProcessed,
    ...extra,
    cause: withoutKey((extra as { cause?: unknown }).cause, apiKey),
  } as never) as InstanceType<C>;
}

/** Errors of a transport quote what they failed on, and headers are part of that. */
function withoutKey(cause: unknown, apiKey: string | undefined): unknown {
  if (!(cause instanceof Error) || apiKey === undefined || apiKey === "") return cause;
  const { message, stack } = cause;
  if (!message.includes(apiKey) && !stack?.includes(apiKey)) return cause;
  const clean = new Error(redactText(message, apiKey));
  clean.name = cause.name;
  clean.stack = stack === undefined ? undefined : redactText(stack, apiKey);
  return clean;
}

/** Where the retry policy was not asked: no repetition, and what the attempts so far leave in doubt. */
function unjudged({ call, timeline }: ErrorContext): Verdict {
  return { retryable: false, maybeProcessed: mayHaveBeenBilled(call.cost, timeline) };
}

/** The sentence that every message ends with when money may have been spent. */
function moneyHint({ call }: ErrorContext, { maybeProcessed, outOfBudget }: Verdict): string {
  const budget = outOfBudget
    ? " It was not repeated: so many calls of this client failed that its retryBudget is used up."
    : "";
  if (!maybeProcessed) return budget;
  return `${budget} The outcome is unknown: the request may have been carried out and billed. Before you repeat ${call.name}, check the usage records of the key.`;
}

function target({ call, address }: ErrorContext): string {
  const url = call.unversioned ? address.origin + pathOn(address, call) : address.baseURL + call.path;
  return `${call.method} ${url}`;
}

/** The public error for an attempt without an answer. */
export function errorFromFailure(
  failure: ExchangeFailure,
  context: ErrorContext,
  verdict = unjudged(context),
): unknown {
  const at = target(context);
  const nothingSent = ` Nothing was sent${moneyHint(context, verdict) && " this time"}.`;
  const { cause, code } = failure as { cause?: unknown; code?: string };
  const why = describe(cause, context);
  const make = <C extends ErrorClass>(errorClass: C, text: string, extra: Extra<C>) =>
    build(errorClass, text, context, verdict, extra);
  const late = (text: string, timeoutMs: number) => make(APITimeoutError, text, { timeoutMs });
  switch (failure.kind) {
    case "aborted":
      return make(APIUserAbortError, `${context.call.name} was aborted by the caller.`, { cause });
    case "unsent":
      if (code === "UND_ERR_INVALID_ARG")
        return make(ConfigurationError, `${at} could not be sent: ${why}.`, {});
      return make(
        APIConnectionError,
        `The gateway could not be reached (${code ?? why}): ${at}.${nothingSent}`,
        { cause, code },
      );
    case "reset":
    case "unfinished":
    case "closed": {
      const reason = failure.kind === "reset" ? (code ?? why) : "closed";
      return make(
        APIConnectionError,
        `The connection broke before the answer was complete (${reason}): ${at}.`,
        { cause, code },
      );
    }
    case "timeout": {
      const { limit, limitMs, sent } = failure;
      const what = sent ? "complete answer" : "connection";
      const name = limit === "connect" ? "connectTimeout" : limit;
      return late(`No ${what} within ${limitMs} ms (${name}): ${at}.${sent ? "" : nothingSent}`, limitMs);
    }
    case "idle":
    case "unread":
      return late(`Silence for ${context.idleTimeoutMs} ms: ${at}.`, context.idleTimeoutMs);
    case "unusable":
      return make(ConfigurationError, `${why}: ${at}. The request was sent.`, { cause, option: "fetch" });
    case "too_large":
      return make(
        InvalidResponseError,
        `The answer to ${at} is larger than ${failure.limit} bytes and was dropped.`,
        {},
      );
    case "reader":
      return cause;
  }
}

/** The public error for a call that did not get its turn: nothing was sent this time. */
export function errorFromRefusal(refusal: TurnRefusal, context: ErrorContext, deadlineMs: number): unknown {
  const verdict = { ...unjudged(context), retryable: true };
  switch (refusal.kind) {
    case "aborted":
      return errorFromFailure({ ...refusal, sent: false }, context);
    case "out_of_time":
      return errorFromFailure(
        { kind: "timeout", limit: "deadline", limitMs: deadlineMs, sent: false },
        context,
        verdict,
      );
    case "paused": {
      const { forMs } = refusal;
      return build(
        RateLimitError,
        `${context.call.name} was not sent: an earlier answer asked to wait, for ${forMs} ms more, which is longer than ` +
          "this call may take.",
        context,
        verdict,
        { status: 429, retryAfterMs: forMs },
      );
    }
  }
}

/** The public error for a stream that broke after it had begun. */
export function errorFromInterruption(
  failure: ExchangeFailure,
  context: ErrorContext,
  partial: unknown,
): unknown {
  const { call, idleTimeoutMs } = context;
  const billable = call.cost === "billable";
  const verdict = { retryable: !billable, maybeProcessed: billable };
  const interrupted = (reason: StreamInterruption, what: string, cause?: unknown) =>
    build(
      StreamInterruptedError,
      `The stream of ${call.name} ${what}${partial === undefined ? "" : "; error.partial holds what had arrived"}.`,
      context,
      verdict,
      { reason, partial, cause },
    );
  switch (failure.kind) {
    case "closed":
      return interrupted("closed", "ended before the answer was complete");
    case "unfinished":
      return interrupted("unfinished", call.unfinished ?? "ended before any result was complete");
    case "timeout":
      if (failure.limit !== "deadline") break;
      return interrupted("deadline", `was not over after ${failure.limitMs} ms, the deadline of the call`);
    case "unread":
      return interrupted("unread", `was not read for ${idleTimeoutMs} ms, so its connection was closed`);
    case "idle":
      return interrupted("idle", `was silent for ${idleTimeoutMs} ms`);
    case "reset":
    case "unsent": {
      const { code, cause } = failure;
      return interrupted("reset", `broke (${code ?? describe(cause, context)})`, cause);
    }
  }
  return errorFromFailure(failure, context, verdict);
}

export interface ErrorAnswer {
  status: number;
  headers?: ResponseHeaders;
  /** Parsed, or the text when it is not JSON. */
  body: unknown;
  retryAfterMs?: number;
  partial?: unknown;
}

/**
 * The public error for an answer that is an error, whatever its status.
 *
 * @param judged what the retry policy made of it; where it was not asked, what the error stands for says whether a paid
 * call is in doubt
 */
export function errorFromErrorAnswer(answer: ErrorAnswer, context: ErrorContext, judged?: Verdict): APIError {
  const { apiKey, call, requestId, timeline } = context;
  const { status, retryAfterMs } = answer;
  const error = readErrorBody(answer.body);
  const meaning = meaningOf(status, error);
  const attempts = [...timeline, { phase: "answered" as const, status, meaning }];
  const verdict = judged ?? { retryable: false, maybeProcessed: mayHaveBeenBilled(call.cost, attempts) };
  const insufficientQuota = isQuotaExhausted(status, error);
  const facts = [error.code && `code ${error.code}`, requestId && `request id ${requestId}`].filter(Boolean);
  const hints = [
    `${status} from ${call.method} ${call.path}: ${error.message ?? "no error message"}${facts.length > 0 ? ` (${facts.join(", ")})` : ""}.`,
    addressHint(status, context),
    // A used-up quota speaks for itself.
    insufficientQuota ? undefined : call.hint?.(meaning),
    retryAfterMs === undefined ? undefined : `Retry after ${Math.ceil(retryAfterMs / 1000)} s.`,
  ];
  const text = hints.filter(Boolean).join(" ");
  return build(classOf(meaning), redactText(text, apiKey), context, verdict, {
    status,
    code: error.code && redactText(error.code, apiKey),
    type: error.type && redactText(error.type, apiKey),
    headers: redactValue(answer.headers?.toRecord() ?? {}, apiKey) as Record<string, string>,
    body: redactValue(answer.body, apiKey),
    retryAfterMs,
    partial: answer.partial,
    insufficientQuota,
  });
}

/** The public error for an event that tells of an error: judged by the status that it stands for. */
export function errorInsideStream(
  body: unknown,
  { partial, delivered }: { partial: unknown; delivered: boolean },
  context: ErrorContext,
): APIError {
  const billable = context.call.cost === "billable";
  const { retry, doubtful } = judgeStatus(meaningOf(200, readErrorBody(body)));
  const verdict = {
    retryable: retry === "always" || (retry === "unless_billable" && !billable),
    // What a stream has delivered was made, whatever went wrong after it.
    maybeProcessed: billable && (doubtful || delivered),
  };
  return errorFromErrorAnswer({ status: 200, body, partial }, context, verdict);
}

/** The public error for a successful answer that is not an answer to this call. */
export function errorFromUnreadable(
  what: string,
  status: number,
  body: unknown,
  context: ErrorContext,
): GatewayError {
  return build(
    InvalidResponseError,
    `The gateway answered ${status} to ${target(context)} with ${what}.`,
    context,
    { retryable: false, maybeProcessed: context.call.cost === "billable" },
    { status, body: redactValue(body, context.apiKey) },
  );
}

/** A wrong base address shows as 404 on every path. */
function addressHint(status: number, { address }: ErrorContext): string | undefined {
  return status === 404 && !address.basePath.endsWith("/v1")
    ? `The base address ${address.baseURL} does not end in /v1, as base addresses of the gateway do.`
    : undefined;
}

function describe(cause: unknown, { apiKey }: ErrorContext): string {
  return redactText(cause instanceof Error ? cause.message : String(cause), apiKey);
}

/** The errors of a stream that began with status 200. */
export function streamErrorsOf(context: ErrorContext): StreamErrors {
  return {
    interrupted: (failure, partial) => errorFromInterruption(failure, context, partial),
    unreadable: (what, body) => errorFromUnreadable(what, 200, body, context),
    inside: (error, found) => errorInsideStream(error, found, context),
  };
}
