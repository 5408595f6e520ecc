import type { AttemptRecord } from "../errors/gateway-error.js";
import { judgeStatus } from "./status-table.js";

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
  /** `status` is what the answer means: an error inside a successful answer stands for a status of its own. */
  | { phase: "answered"; status: number; retryAfterMs?: number }
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
  /** Longest wait that a server may ask for, in milliseconds: nobody waits longer than for the answer itself. */
  timeoutMs: number;
  /** What is left until the deadline of the call, in milliseconds; `Infinity` where it has none. */
  timeLeftMs: number;
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
    const tooLong = asked > Math.min(MAX_RETRY_AFTER_MS, context.timeoutMs, context.timeLeftMs);
    return tooLong ? { retryable, maybeProcessed } : { retryable, maybeProcessed, delayMs: asked };
  }
  const ceiling = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (context.attempts - 1));
  const delayMs = context.random() * ceiling;
  return delayMs > context.timeLeftMs
    ? { retryable, maybeProcessed }
    : { retryable, maybeProcessed, delayMs };
}

function isRetryable(outcome: AttemptOutcome, cost: CallCost): boolean {
  switch (outcome.phase) {
    case "unsent":
      return true;
    case "answered": {
      const { retry } = judgeStatus(outcome.status);
      return retry === "always" || (retry === "unless_billable" && cost !== "billable");
    }
    case "no_answer":
      return cost === "read" || (cost === "repeatable" && outcome.cause === "reset");
  }
}

/** Whether a call may have been carried out and billed by one of these attempts, of which each but the last was repeated. */
export function mayHaveBeenBilled(
  cost: CallCost,
  attempts: ReadonlyArray<Pick<AttemptRecord, "phase" | "status" | "meaning">>,
): boolean {
  return (
    cost === "billable" &&
    attempts.some(({ phase, status = 0, meaning = status }) => leavesDoubt({ phase, status: meaning }))
  );
}

/** Whether the gateway may have done the work although it did not say so. */
function leavesDoubt({ phase, status = 0 }: { phase: AttemptRecord["phase"]; status?: number }): boolean {
  return phase === "no_answer" || (phase === "answered" && judgeStatus(status).doubtful);
}
