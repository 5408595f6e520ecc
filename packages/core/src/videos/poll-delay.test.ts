import { describe, expect, it } from "vitest";
import {
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  RateLimitError,
} from "../errors/api-error.js";
import { APIConnectionError, InvalidResponseError } from "../errors/errors.js";
import type { GatewayError } from "../errors/gateway-error.js";
import { type FailedPoll, pollDelay } from "./poll-delay.js";

const INTERVAL_MS = 5_000;
const at = (error: GatewayError, more: Partial<FailedPoll> = {}) =>
  pollDelay({
    error,
    failedBefore: 0,
    intervalMs: INTERVAL_MS,
    regularMs: INTERVAL_MS,
    ageMs: 60_000,
    backoff: {},
    ...more,
  });
/** Waits after so many failed polls in a row. */
const waits = (error: GatewayError, more: Partial<FailedPoll> = {}) =>
  [0, 1, 2, 3, 4, 5].map((failedBefore) => at(error, { failedBefore, ...more }).nextPollMs);

describe("pollDelay", () => {
  it.each<[string, GatewayError]>([
    ["a server's error", new InternalServerError("x", { status: 503, retryable: true })],
    ["no answer", new APIConnectionError("x", { retryable: true })],
    ["an answer that is no task", new InvalidResponseError("x", { retryable: false })],
  ])("after %s is a second, doubling to the distance of polls", (_what, error) => {
    expect(waits(error)).toEqual([1_000, 2_000, 4_000, 5_000, 5_000, 5_000]);
    expect(waits(error, { regularMs: 30_000 })).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000]);
    expect(waits(error, { backoff: { firstMs: 10, maxMs: 100 } })).toEqual([10, 20, 40, 80, 100, 100]);
  });

  it.each<[string, GatewayError]>([
    ["a refused key", new AuthenticationError("x", { status: 401 })],
    ["a task that is not there", new NotFoundError("x", { status: 404 })],
    ["a request that is wrong", new BadRequestError("x", { status: 400 })],
  ])("after %s is the distance of polls, doubling to six times that", (_what, error) => {
    expect(waits(error)).toEqual([5_000, 10_000, 20_000, 30_000, 30_000, 30_000]);
    expect(waits(error, { regularMs: 30_000 })).toEqual(waits(error));
    expect(waits(error, { backoff: { refusedMs: 12_000, firstMs: 1, maxMs: 2 } })).toEqual([
      5_000, 10_000, 12_000, 12_000, 12_000, 12_000,
    ]);
  });

  it("after a 429 is what was asked for, a minute at most, and does not grow", () => {
    const asked = (retryAfterMs?: number) => new RateLimitError("x", { status: 429, retryAfterMs });
    expect(waits(asked(8_000))).toEqual(Array(6).fill(8_000));
    expect(at(asked(8_000))).toEqual({ nextPollMs: 8_000, pauseMs: 8_000, counts: true });
    expect(at(asked())).toEqual({ nextPollMs: 5_000, pauseMs: 1_000, counts: true });
    expect(at(asked(86_400_000))).toEqual({ nextPollMs: 60_000, pauseMs: 60_000, counts: true });
  });

  it("of a task that is too new to be known everywhere is as if it had been read", () => {
    const none = new NotFoundError("x", { status: 404 });
    expect(at(none, { ageMs: 29_999, failedBefore: 3 })).toEqual({ nextPollMs: 5_000, counts: false });
    expect(at(none, { ageMs: 30_000 })).toEqual({ nextPollMs: 5_000, counts: true });
    expect(at(none, { ageMs: undefined }).counts).toBe(true);
  });
});
