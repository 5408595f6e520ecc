import { describe, expect, it } from "vitest";
import {
  type AttemptOutcome,
  type CallCost,
  decideRetry,
  MAX_RETRY_AFTER_MS,
  mayHaveBeenBilled,
} from "./retry-policy.js";

const context = (cost: CallCost, overrides = {}) => ({
  cost,
  retryBillable: false,
  attempts: 1,
  earlierDoubt: false,
  maxRetries: 2,
  timeoutMs: 600_000,
  timeLeftMs: Number.POSITIVE_INFINITY,
  random: () => 0.5,
  ...overrides,
});
const answered = (status: number, retryAfterMs?: number): AttemptOutcome => ({
  phase: "answered",
  status,
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
  ["500 upwards, also those that nobody has defined", answered(599), true, true, false, true],
  ["501: the gateway does not have this", answered(501), false, false, false, false],
  ["400", answered(400), false, false, false, false],
  ["401", answered(401), false, false, false, false],
  ["403", answered(403), false, false, false, false],
  ["404", answered(404), false, false, false, false],
  ["422", answered(422), false, false, false, false],
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

  it("does not make reads less than they are where paid calls may be repeated", () => {
    expect(decideRetry(TIMEOUT, context("read", { retryBillable: true })).retryable).toBe(true);
  });

  it("makes as many retries as it may, and not one more", () => {
    const delayAfter = (attempts: number) =>
      decideRetry(answered(500), context("read", { attempts })).delayMs;
    expect([delayAfter(2), delayAfter(3)]).toEqual([500, undefined]);
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

  it("does not begin a wait of its own that the call has no time for", () => {
    const hurried = context("read", { timeLeftMs: 249 });
    expect(decideRetry(answered(500), hurried)).toEqual({ retryable: true, maybeProcessed: false });
    expect(decideRetry(answered(500), { ...hurried, timeLeftMs: 250 }).delayMs).toBe(250);
    expect(decideRetry(answered(500), context("read", { timeoutMs: 1 })).delayMs).toBe(250);
  });

  it("waits as long as the server asks, and not at all when that is too long", () => {
    expect(decideRetry(answered(429, 3_000), context("billable")).delayMs).toBe(3_000);
    expect(decideRetry(answered(429, 0), context("read")).delayMs).toBe(0);
    expect(decideRetry(answered(429, MAX_RETRY_AFTER_MS), context("read")).delayMs).toBe(60_000);
    expect(decideRetry(answered(429, MAX_RETRY_AFTER_MS + 1), context("read"))).toEqual({
      retryable: true,
      maybeProcessed: false,
    });
    for (const limit of ["timeoutMs", "timeLeftMs"]) {
      const delay = (ms: number) =>
        decideRetry(answered(503, 6_000), context("read", { [limit]: ms })).delayMs;
      expect([delay(5_999), delay(6_000)]).toEqual([undefined, 6_000]);
    }
  });
});

describe("what earlier attempts leave in doubt", () => {
  it.each<[string, Parameters<typeof mayHaveBeenBilled>[1][number], boolean]>([
    ["nothing sent", { phase: "unsent" }, false],
    ["no answer", { phase: "no_answer" }, true],
    ["500", { phase: "answered", status: 500 }, true],
    ["408", { phase: "answered", status: 408 }, true],
    ["429", { phase: "answered", status: 429 }, false],
    ["400", { phase: "answered", status: 400 }, false],
    ["501", { phase: "answered", status: 501 }, false],
    ["200 with an error that means 500", { phase: "answered", status: 200, meaning: 500 }, true],
    ["503 that means an unknown model", { phase: "answered", status: 503, meaning: 404 }, false],
  ])("%s", (_name, attempt, doubt) => {
    expect(mayHaveBeenBilled("billable", [attempt])).toBe(doubt);
    expect(mayHaveBeenBilled("billable", [{ phase: "unsent" }, attempt])).toBe(doubt);
    expect(mayHaveBeenBilled("repeatable", [attempt])).toBe(false);
    expect(mayHaveBeenBilled("read", [attempt])).toBe(false);
  });
});
