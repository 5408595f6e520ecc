import { NotFoundError, RateLimitError } from "../errors/api-error.js";
import type { GatewayError } from "../errors/gateway-error.js";

/** How a task is polled that cannot be read at the moment. Durations are milliseconds. */
export interface PollBackoff {
  /** Wait after the first poll that failed in a way that passes; doubles with each one in a row. Default 1000. */
  firstMs?: number;
  /** What it grows to. Default `intervalMs`. */
  maxMs?: number;
  /**
   * What the wait grows to after polls that were refused, which may need somebody to act (400, 401, 403, 404, a
   * redirect): it begins with `intervalMs` and doubles with each one in a row. Default six times `intervalMs`.
   */
  refusedMs?: number;
}

/** What is known of a poll that failed. Durations are milliseconds. */
export interface FailedPoll {
  error: GatewayError;
  /** Polls in a row that failed before this one. */
  failedBefore: number;
  /** First distance between polls. */
  intervalMs: number;
  /** Distance between polls at the task's age. */
  regularMs: number;
  /** Undefined when nobody knows how old the task is. */
  ageMs: number | undefined;
  backoff: PollBackoff;
}

/** When to poll again after a poll that failed. Durations are milliseconds. */
export interface PollDelay {
  nextPollMs: number;
  /** No poll of any task for so long: the gateway asked for it. */
  pauseMs?: number;
  /** Whether it counts as failed: a new task may not be known on every server yet. */
  counts: boolean;
}

/** The longest distance between polls, in first distances. */
export const MAX_INTERVAL_FACTOR = 6;
const NOT_FOUND_GRACE_MS = 30_000;
const FIRST_BACKOFF_MS = 1_000;
/** After a 429 that names no time. */
const PAUSE_MS = 1_000;
/** A server that asks for more gets this much: a day's silence would look like a day's work. */
const MAX_PAUSE_MS = 60_000;
/** Keeps doubling within what numbers hold. */
const MAX_DOUBLINGS = 20;

/**
 * When to poll a task again that could not be read, before jitter:
 *
 * | the poll | the next comes after |
 * |---|---|
 * | found none within 30 s of the task's creation | the distance at the task's age, as after one that read it |
 * | 429 | `Retry-After`, at most 60 s, or that distance if it is longer |
 * | 5xx, no answer, an answer that is no task | `backoff.firstMs`, doubling to `backoff.maxMs` |
 * | was refused: 400, 401, 403, 404, a redirect | `intervalMs`, doubling to `backoff.refusedMs` |
 */
export function pollDelay(failed: FailedPoll): PollDelay {
  const { error, failedBefore, intervalMs, regularMs, ageMs, backoff } = failed;
  if (error instanceof NotFoundError && ageMs !== undefined && ageMs < NOT_FOUND_GRACE_MS) {
    return { nextPollMs: regularMs, counts: false };
  }
  if (error instanceof RateLimitError) {
    const pauseMs = pauseAfter(error.retryAfterMs);
    return { nextPollMs: Math.max(regularMs, pauseMs), pauseMs, counts: true };
  }
  const passes = error.retryable || error.kind === "invalid_response";
  const [firstMs, maxMs] = passes
    ? [backoff.firstMs ?? FIRST_BACKOFF_MS, backoff.maxMs ?? regularMs]
    : [intervalMs, backoff.refusedMs ?? intervalMs * MAX_INTERVAL_FACTOR];
  const nextPollMs = Math.min(maxMs, firstMs * 2 ** Math.min(failedBefore, MAX_DOUBLINGS));
  return { nextPollMs, counts: true };
}

/** How long no task is polled after a 429 that asked for so much, or for nothing, in milliseconds. */
export function pauseAfter(retryAfterMs: number | undefined): number {
  return Math.min(MAX_PAUSE_MS, retryAfterMs ?? PAUSE_MS);
}
