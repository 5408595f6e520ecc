import type { Address } from "../config/addresses.js";
import { type APIError, RateLimitError } from "../errors/api-error.js";
import { errorFromAnswer, isQuotaExhausted, meaningOf } from "../errors/error-from-answer.js";
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
import { type ErrorBody, readErrorBody } from "../errors/read-error-body.js";
import type { StreamErrors } from "../streams/stream-reader.js";
import type { ExchangeFailure, TimeLimit } from "../transport/exchange-failure.js";
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

function details(context: ErrorContext, verdict: Verdict, cause?: unknown): GatewayErrorDetails {
  const { call, requestId, timeline } = context;
  const { retryable, maybeProcessed } = verdict;
  return {
    method: call.method,
    path: call.path,
    requestId,
    timeline: [...timeline],
    retryable,
    maybeProcessed,
    cause: withoutKey(cause, context.apiKey),
  };
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
  const hint = moneyHint(context, verdict);
  switch (failure.kind) {
    case "aborted":
      return new APIUserAbortError(
        `${context.call.name} was aborted by the caller.${hint}`,
        details(context, verdict, failure.cause),
      );
    case "unsent": {
      if (failure.code === "UND_ERR_INVALID_ARG") {
        return new ConfigurationError(
          `${target(context)} could not be sent: ${describe(failure.cause, context)}.`,
          details(context, verdict),
        );
      }
      const reason = failure.code ?? describe(failure.cause, context);
      return new APIConnectionError(
        `The gateway could not be reached (${reason}): ${target(context)}. Nothing was sent${hint && " this time"}.${hint}`,
        {
          ...details(context, verdict, failure.cause),
          code: failure.code,
        },
      );
    }
    case "reset":
    case "unfinished":
    case "closed": {
      const code = failure.kind === "reset" ? failure.code : undefined;
      const reason = failure.kind === "reset" ? (failure.code ?? describe(failure.cause, context)) : "closed";
      const cause = failure.kind === "reset" ? failure.cause : undefined;
      return new APIConnectionError(
        `The connection broke before the answer was complete (${reason}): ${target(context)}.${hint}`,
        {
          ...details(context, verdict, cause),
          code,
        },
      );
    }
    case "timeout": {
      const { limit, limitMs, sent } = failure;
      const what = sent ? "No complete answer" : "No connection";
      const nothing = sent ? "" : ` Nothing was sent${hint && " this time"}.`;
      const name = LIMIT_NAMES[limit];
      return new APITimeoutError(
        `${what} within ${limitMs} ms (${name}): ${target(context)}.${nothing}${hint}`,
        {
          ...details(context, verdict),
          timeoutMs: limitMs,
        },
      );
    }
    case "idle":
    case "unread":
      return new APITimeoutError(`Silence for ${context.idleTimeoutMs} ms: ${target(context)}.${hint}`, {
        ...details(context, verdict),
        timeoutMs: context.idleTimeoutMs,
      });
    case "unusable":
      return new ConfigurationError(
        `${describe(failure.cause, context)}: ${target(context)}. The request was sent.${hint}`,
        {
          ...details(context, verdict, failure.cause),
          option: "fetch",
        },
      );
    case "too_large":
      return new InvalidResponseError(
        `The answer to ${target(context)} is larger than ${failure.limit} bytes and was dropped.${hint}`,
        details(context, verdict),
      );
    case "reader":
      return failure.cause;
  }
}

const LIMIT_NAMES: Record<TimeLimit, string> = {
  timeout: "timeout",
  connect: "connectTimeout",
  deadline: "deadline",
};

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
      return new RateLimitError(
        `${context.call.name} was not sent: an earlier answer asked to wait, for ${forMs} ms more, which is longer than ` +
          `this call may take.${moneyHint(context, verdict)}`,
        { ...details(context, verdict), status: 429, retryAfterMs: forMs },
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
  const billable = context.call.cost === "billable";
  const verdict = { retryable: !billable, maybeProcessed: billable };
  const interrupted = (reason: StreamInterruption, what: string, cause?: unknown) =>
    new StreamInterruptedError(
      `The stream of ${context.call.name} ${what}${partial === undefined ? "" : "; error.partial holds what had arrived"}.`,
      {
        ...details(context, verdict, cause),
        reason,
        partial,
      },
    );
  switch (failure.kind) {
    case "closed":
      return interrupted("closed", "ended before the answer was complete");
    case "unfinished":
      return interrupted("unfinished", unfinishedWords(context));
    case "timeout":
      if (failure.limit !== "deadline") break;
      return interrupted("deadline", `was not over after ${failure.limitMs} ms, the deadline of the call`);
    case "unread":
      return interrupted(
        "unread",
        `was not read for ${context.idleTimeoutMs} ms, so its connection was closed`,
      );
    case "idle":
      return interrupted("idle", `was silent for ${context.idleTimeoutMs} ms`);
    case "reset":
    case "unsent":
      return interrupted(
        "reset",
        `broke (${failure.code ?? describe(failure.cause, context)})`,
        failure.cause,
      );
  }
  return errorFromFailure(failure, context, verdict);
}

function unfinishedWords({ call }: ErrorContext): string {
  return call.unfinished ?? "ended before any result was complete";
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
  const { apiKey, call } = context;
  const body = readErrorBody(answer.body);
  const meaning = meaningOf(answer.status, body);
  const attempts = [...context.timeline, { phase: "answered" as const, status: answer.status, meaning }];
  const verdict = judged ?? { retryable: false, maybeProcessed: mayHaveBeenBilled(call.cost, attempts) };
  const facts = [
    body.code === undefined ? undefined : `code ${body.code}`,
    context.requestId === undefined ? undefined : `request id ${context.requestId}`,
  ].filter((fact) => fact !== undefined);
  const suffix = facts.length > 0 ? ` (${facts.join(", ")})` : "";
  const wait =
    answer.retryAfterMs === undefined ? "" : ` Retry after ${Math.ceil(answer.retryAfterMs / 1000)} s.`;
  const message =
    `${answer.status} from ${call.method} ${call.path}: ${body.message ?? "no error message"}${suffix}.` +
    `${addressHint(answer.status, context)}${callHint(answer.status, body, context)}${wait}${moneyHint(context, verdict)}`;
  return errorFromAnswer(redactText(message, apiKey), body, {
    ...details(context, verdict),
    status: answer.status,
    code: redacted(body.code, apiKey),
    type: redacted(body.type, apiKey),
    headers: redactValue(answer.headers?.toRecord() ?? {}, apiKey) as Record<string, string>,
    body: redactValue(answer.body, apiKey),
    retryAfterMs: answer.retryAfterMs,
    partial: answer.partial,
  });
}

/** The public error for an event that tells of an error: judged by the status that it stands for. */
export function errorInsideStream(
  body: unknown,
  { partial, delivered }: { partial: unknown; delivered: boolean },
  context: ErrorContext,
): APIError {
  const { cost } = context.call;
  const { retry, doubtful } = judgeStatus(meaningOf(200, readErrorBody(body)));
  const verdict = {
    retryable: retry === "always" || (retry === "unless_billable" && cost !== "billable"),
    // What a stream has delivered was made, whatever went wrong after it.
    maybeProcessed: cost === "billable" && (doubtful || delivered),
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
  const verdict = { retryable: false, maybeProcessed: context.call.cost === "billable" };
  return new InvalidResponseError(
    `The gateway answered ${status} to ${target(context)} with ${what}.${moneyHint(context, verdict)}`,
    { ...details(context, verdict), status, body: redactValue(body, context.apiKey) },
  );
}

/** A wrong base address shows as 404 on every path. */
function addressHint(status: number, { address }: ErrorContext): string {
  if (status !== 404 || address.basePath.endsWith("/v1")) return "";
  return ` The base address ${address.baseURL} does not end in /v1, as base addresses of the gateway do.`;
}

/** A used-up quota speaks for itself. */
function callHint(status: number, body: ErrorBody, { call }: ErrorContext): string {
  const hint = isQuotaExhausted(status, body) ? undefined : call.hint?.(meaningOf(status, body));
  return hint === undefined ? "" : ` ${hint}`;
}

function redacted(text: string | undefined, apiKey: string | undefined): string | undefined {
  return text === undefined ? undefined : redactText(text, apiKey);
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
