import { describe, expect, it } from "vitest";
import { type AttemptOutcome, type CallCost, decideRetry, MAX_RETRY_AFTER_MS } from "./retry-policy.js";

const context = (cost: CallCost, overrides = {}) => ({
  cost,
  retryBillable: false,
  attempts: 1,
  earlierDoubt: false,
  maxRetries: 2,
  deadlineMs: 600_000,
  random: () => 0.5,
  ...overrides,
});
const answered = (status: number, permanent = false, retryAfterMs?: number): AttemptOutcome => ({
  phase: "answered",
  status,
  permanent,
  retryAfterMs,
});
const UNSENT: AttemptOutcome = { phase: "unsent" };
const RESET: AttemptOutcome = { phase: "no_answer", cause: "reset" };
const TIMEOUT: AttemptOutcome = { phase: "no_answer", cause: "timeout" };

/** Which costs are retried for an outcome, and whether a billable call is left in doubt. */
const TABLE: Array<
  [name: string, AttemptOutcome, read: boolean, repeatable: boolean, billable: boolean, doubt: boolean]
> = [
  ["nothing was sent", UNSENT, true, true, true, false],
  ["reset after sending", RESET, true, true, false, true],
  ["own timeout after sending", TIMEOUT, true, false, false, true],
  ["408", answered(408), true, true, false, true],
  ["429", answered(429), true, true, true, false],
  ["500", answered(500), true, true, false, true],
  ["502", answered(502), true, true, false, true],
  ["503", answered(503), true, true, false, true],
  ["503 model_not_found", answered(503, true), false, false, false, false],
  ["429 without quota", answered(429, true), false, false, false, false],
  ["400", answered(400, true), false, false, false, false],
  ["401", answered(401, true), false, false, false, false],
  ["403", answered(403, true), false, false, false, false],
  ["404", answered(404, true), false, false, false, false],
  ["422", answered(422, true), false, false, false, false],
  ["302", answered(302), false, false, false, false],
];

describe("decideRetry", () => {
  it.each(TABLE)("%s", (_name, outcome, read, repeatable, billable, doubt) => {
    expect(decideRetry(outcome, context("read")).retryable).toBe(read);
    expect(decideRetry(outcome, context("repeatable")).retryable).toBe(repeatable);
    expect(decideRetry(outcome, context("billable"))).toMatchObject({
      retryable: billable,
      maybeProcessed: doubt,
    });
    expect(decideRetry(outcome, context("read")).maybeProcessed).toBe(false);
    expect(decideRetry(outcome, context("repeatable")).maybeProcessed).toBe(false);
  });

  it("treats a billable call like a repeatable one when the caller accepts it, and still tells of the doubt", () => {
    const accepted = context("billable", { retryBillable: true });
    expect(decideRetry(answered(500), accepted)).toEqual({
      retryable: true,
      maybeProcessed: true,
      delayMs: 250,
    });
    expect(decideRetry(RESET, accepted).retryable).toBe(true);
    expect(decideRetry(TIMEOUT, accepted).retryable).toBe(false);
  });

  it("stops after maxRetries and still says whether another call may help", () => {
    expect(decideRetry(answered(500), context("read", { attempts: 3 }))).toEqual({
      retryable: true,
      maybeProcessed: false,
    });
  });

  it("backs off exponentially with full jitter up to eight seconds", () => {
    const delays = [1, 2, 3, 4, 5, 6, 7].map(
      (attempts) =>
        decideRetry(UNSENT, context("read", { attempts, maxRetries: 10, random: () => 1 })).delayMs,
    );
    expect(delays).toEqual([500, 1000, 2000, 4000, 8000, 8000, 8000]);
    expect(decideRetry(UNSENT, context("read", { random: () => 0 })).delayMs).toBe(0);
  });

  it("waits as long as the server asks, and not at all when that is too long", () => {
    expect(decideRetry(answered(429, false, 3_000), context("billable")).delayMs).toBe(3_000);
    expect(decideRetry(answered(429, false, 0), context("read")).delayMs).toBe(0);
    expect(decideRetry(answered(429, false, MAX_RETRY_AFTER_MS + 1), context("read"))).toEqual({
      retryable: true,
      maybeProcessed: false,
    });
    expect(
      decideRetry(answered(503, false, 6_000), context("read", { deadlineMs: 5_000 })).delayMs,
    ).toBeUndefined();
  });
});
