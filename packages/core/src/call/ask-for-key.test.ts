import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { API_KEY, errorOf } from "../../test/gateways.js";
import { parseAddress } from "../config/addresses.js";
import { askForKey } from "./ask-for-key.js";
import type { ErrorContext } from "./call-errors.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const contextOf = (timeline: ErrorContext["timeline"] = []): ErrorContext => ({
  call: { name: "videos.create", method: "POST", path: "/videos", cost: "billable", defaultTimeoutMs: 1 },
  address: parseAddress("general", "https://g.example/v1"),
  apiKey: undefined,
  timeline,
  idleTimeoutMs: 1,
});
const ask = (source: () => string | Promise<string>, signal?: AbortSignal, context = contextOf()) =>
  askForKey(source, { context, waitMs: 1_000.4, signal });

describe("a key that is asked for", () => {
  it("is what the function gives, now or later, without blanks", async () => {
    expect(await ask(() => API_KEY)).toBe(API_KEY);
    expect(await ask(async () => ` ${API_KEY} `)).toBe(API_KEY);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ["never given", () => new Promise<string>(() => {}), "gave no key within 1000 ms", undefined],
    ["refused", () => Promise.reject("why"), "failed (its error is the cause)", "why"],
    [
      "refused at once",
      () => {
        throw "why";
      },
      "failed (its error is the cause)",
      "why",
    ],
  ])(
    "and %s fails the call: nothing was sent, and it may be there later",
    async (_how, source, what, cause) => {
      const failed = errorOf(ask(source));
      await vi.advanceTimersByTimeAsync(1_001);
      const error = await failed;
      expect(error).toMatchObject({
        kind: "configuration",
        option: "apiKey",
        message: `The function given as option apiKey ${what}, so videos.create could not be sent.`,
        method: "POST",
        path: "/videos",
        attempts: 0,
        retryable: true,
        maybeProcessed: false,
      });
      expect((error as Error).cause).toBe(cause);
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  it("does not undo what an earlier attempt did", async () => {
    const timeline = [{ address: "general" as const, phase: "no_answer" as const, ms: 1 }];
    expect(await errorOf(ask(() => Promise.reject("why"), undefined, contextOf(timeline)))).toMatchObject({
      timeline,
      attempts: 1,
      retryable: false,
      maybeProcessed: true,
    });
  });

  it("that is none is refused like an option", async () => {
    for (const key of ["", "a b", undefined as never])
      expect(await errorOf(ask(() => key))).toMatchObject({ kind: "configuration", option: "apiKey" });
  });

  it("is not waited for by a caller who left", async () => {
    const controller = new AbortController();
    const left = errorOf(ask(() => new Promise<string>(() => {}), controller.signal));
    controller.abort("left");
    expect(await left).toMatchObject({ kind: "aborted", cause: "left", maybeProcessed: false });
  });
});
