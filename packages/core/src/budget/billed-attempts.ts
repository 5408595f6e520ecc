import { mayHaveBeenBilled } from "../call/retry-policy.js";
import type { AttemptRecord } from "../errors/gateway-error.js";

/** How many attempts were, or may have been, carried out and billed. */
export function billedAttempts(timeline: readonly AttemptRecord[]): number {
  return timeline.filter((attempt) => {
    const { phase, status = 0, meaning = status } = attempt;
    return (phase === "answered" && meaning < 300) || mayHaveBeenBilled("billable", [attempt]);
  }).length;
}
