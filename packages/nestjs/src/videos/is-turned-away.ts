import { GatewayError, type GatewayErrorKind } from "@model-gateway/core";

/** What says something about the moment, the way or the key, and nothing about the submission. A used-up quota or budget is none. */
const PASSING: ReadonlySet<GatewayErrorKind> = new Set([
  "rate_limit",
  "connection",
  "timeout",
  "aborted",
  "authentication",
  "configuration",
  "budget_unavailable",
]);

/**
 * Whether a submission that surely was not paid for may be taken later: the gateway is busy, out of reach, or refuses the key, or
 * nobody can tell whether the budget allows it.
 * False for what it would refuse again.
 */
export function isTurnedAway(error: unknown): boolean {
  return GatewayError.isInstance(error) && PASSING.has(error.kind);
}
