import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { delay, MAX_TIMER_MS, OUT_OF_TIME, within } from "./delay.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new Promise<never>(() => {});
const settled = (work: Promise<unknown>) => work.catch((reason: unknown) => ({ reason }));

describe("a wait", () => {
  it("is over at its time, or with the caller who leaves, and leaves no timer behind", async () => {
    const whole = delay(10);
    await vi.advanceTimersByTimeAsync(10);
    await whole;
    const controller = new AbortController();
    const left = settled(delay(10, controller.signal));
    controller.abort("left");
    expect(await left).toEqual({ reason: "left" });
    expect(await settled(delay(10, controller.signal))).toEqual({ reason: "left" });
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a wait for somebody else", () => {
  it("ends with the work, whichever way, and leaves no timer behind", async () => {
    expect(await within(Promise.resolve(7), 10)).toBe(7);
    expect(await settled(within(Promise.reject("why"), 10))).toEqual({ reason: "why" });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is not longer than it may be, nor than the caller stays", async () => {
    const late = settled(within(never, 10));
    await vi.advanceTimersByTimeAsync(10);
    expect(await late).toEqual({ reason: OUT_OF_TIME });
    const controller = new AbortController();
    const left = settled(within(never, 10, controller.signal));
    controller.abort("left");
    expect(await left).toEqual({ reason: "left" });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is as long as a timer can be where it may be longer, and without a timer where it has no end", async () => {
    expect(MAX_TIMER_MS).toBe(2_147_483_647);
    let over = false;
    const longest = settled(within(never, 2 * MAX_TIMER_MS)).then(() => {
      over = true;
    });
    await vi.advanceTimersByTimeAsync(MAX_TIMER_MS - 1);
    expect(over).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await longest;
    void within(never, Number.POSITIVE_INFINITY);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("of a caller who has left is none: what becomes of the work ends no process", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    expect(await settled(within(Promise.reject("why"), 10, AbortSignal.abort("left")))).toEqual({
      reason: "left",
    });
    vi.useRealTimers();
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});
