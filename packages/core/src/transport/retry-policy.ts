import type { AttemptPhase } from "../errors/gateway-error.js";

/**
 * What repeating a call can cost:
 * - `read`: nothing, it only reads (every GET);
 * - `repeatable`: at most a second answer to the same question (chat, embeddings, moderation);
 * - `billable`: a second paid product (images, speech, video creates).
 */
export type CallCost = "read" | "repeatable" | "billable";

/** How an attempt ended without a usable answer. */
export type AttemptOutcome =
  | { phase: "unsent" }
  | { phase: "answered"; status: number; permanent: boolean; retryAfterMs?: number }
  | { phase: "no_answer"; cause: "reset" | "timeout" };

/** What to do after a failed attempt. */
export interface RetryDecision {
  /** Whether repeating the call is safe and may help, however many attempts are left. */
  retryable: boolean;
  /** Whether a billable request may have been carried out. */
  maybeProcessed: boolean;
  /** Wait before the next attempt in milliseconds; undefined when there is none. */
  delayMs?: number;
}

export interface RetryContext {
  cost: CallCost;
  /** The caller accepts that a billable request may be carried out twice. */
  retryBillable: boolean;
  /** Attempts made so far, the failed one included. */
  attempts: number;
  /** Whether an attempt before the failed one may have done the work. */
  earlierDoubt: boolean;
  maxRetries: number;
  /** Longest wait the caller's deadline leaves, in milliseconds. */
  deadlineMs: number;
  /** A number in [0, 1). */
  random: () => number;
}

/** A server that asks for a longer wait than this is not waited for: the call fails and says how long. */
export const MAX_RETRY_AFTER_MS = 60_000;
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 8_000;

/** Decides from what happened to the request, and from what it costs to send it again. Pure. */
export function decideRetry(outcome: AttemptOutcome, context: RetryContext): RetryDecision {
  const cost = context.cost === "billable" && context.retryBillable ? "repeatable" : context.cost;
  const retryable = isRetryable(outcome, cost);
  const maybeProcessed = context.cost === "billable" && (context.earlierDoubt || leavesDoubt(outcome));
  if (!retryable || context.attempts > context.maxRetries) return { retryable, maybeProcessed };

  const asked = outcome.phase === "answered" ? outcome.retryAfterMs : undefined;
  if (asked !== undefined) {
    const tooLong = asked > Math.min(MAX_RETRY_AFTER_MS, context.deadlineMs);
    return tooLong ? { retryable, maybeProcessed } : { retryable, maybeProcessed, delayMs: asked };
  }
  const ceiling = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (context.attempts - 1));
  return { retryable, maybeProcessed, delayMs: context.random() * ceiling };
}

function isRetryable(outcome: AttemptOutcome, cost: CallCost): boolean {
  switch (outcome.phase) {
    case "unsent":
      return true;
    case "answered":
      if (outcome.permanent) return false;
      if (outcome.status === 429) return true;
      return cost !== "billable" && (outcome.status === 408 || outcome.status >= 500);
    case "no_answer":
      return cost === "read" || (cost === "repeatable" && outcome.cause === "reset");
  }
}

/** Whether the gateway may have done the work although it did not say so. */
function leavesDoubt(outcome: AttemptOutcome): boolean {
  if (outcome.phase === "answered" && outcome.permanent) return false;
  return isDoubtful(outcome);
}

/** Whether a call may have been carried out and billed by one of these attempts, of which each but the last was repeated. */
export function mayHaveBeenBilled(
  cost: CallCost,
  attempts: ReadonlyArray<{ phase: AttemptPhase; status?: number }>,
): boolean {
  return cost === "billable" && attempts.some(isDoubtful);
}

function isDoubtful({ phase, status = 0 }: { phase: AttemptPhase; status?: number }): boolean {
  return phase === "no_answer" || status === 408 || status >= 500;
}
