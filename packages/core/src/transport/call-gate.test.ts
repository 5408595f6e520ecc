import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CallGate } from "./call-gate.js";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Enters and tells whether the call was admitted. */
function enter(gate: CallGate, signal?: AbortSignal) {
  const state = { admitted: false };
  const turn = gate.enter(signal);
  if (turn === undefined) state.admitted = true;
  else
    void turn.then(
      () => {
        state.admitted = true;
      },
      () => {},
    );
  return state;
}

describe("CallGate", () => {
  it("admits everybody at once when there is no limit", () => {
    const gate = new CallGate(Number.POSITIVE_INFINITY);
    for (let call = 0; call < 1000; call++) expect(gate.enter(undefined)).toBeUndefined();
  });

  it("keeps to the limit and lets others in, first come first served", async () => {
    const gate = new CallGate(2);
    const calls = [enter(gate), enter(gate), enter(gate), enter(gate)];
    expect(calls.map(({ admitted }) => admitted)).toEqual([true, true, false, false]);
    gate.leave();
    await Promise.resolve();
    expect(calls.map(({ admitted }) => admitted)).toEqual([true, true, true, false]);
    gate.leave();
    await Promise.resolve();
    expect(calls.every(({ admitted }) => admitted)).toBe(true);
  });

  it("gives up the place of a call that is aborted while it waits", async () => {
    const gate = new CallGate(1);
    enter(gate);
    const controller = new AbortController();
    const waiting = gate.enter(controller.signal);
    const next = enter(gate);
    controller.abort(new Error("left"));
    await expect(waiting).rejects.toThrow("left");
    gate.leave();
    await Promise.resolve();
    expect(next.admitted).toBe(true);
    await expect(gate.enter(controller.signal)).rejects.toThrow("left");
  });

  it("halves what runs at once after a 429, and recovers with successes", () => {
    const gate = new CallGate(8);
    for (let call = 0; call < 8; call++) enter(gate);
    gate.slowDown(undefined);
    for (let call = 0; call < 8; call++) gate.leave();
    const admitted = () => {
      let count = 0;
      while (enter(gate).admitted) count++;
      return count;
    };
    expect(admitted()).toBe(4);
    const recovering = new CallGate(8);
    for (let call = 0; call < 8; call++) enter(recovering);
    recovering.slowDown(undefined);
    for (let call = 0; call < 40; call++) recovering.succeeded();
    for (let call = 0; call < 8; call++) recovering.leave();
    for (let call = 0; call < 8; call++) expect(enter(recovering).admitted).toBe(true);
    expect(enter(recovering).admitted).toBe(false);
  });

  it("slows down also without a limit, never below one, and lifts the limit again", () => {
    const gate = new CallGate(Number.POSITIVE_INFINITY);
    enter(gate);
    gate.slowDown(undefined);
    gate.slowDown(undefined);
    gate.leave();
    expect(enter(gate).admitted).toBe(true);
    expect(enter(gate).admitted).toBe(false);
    for (let call = 0; call < 10_000_000 && gate["limit"] < 5_000; call++) gate.succeeded();
    expect(gate["limit"]).toBe(Number.POSITIVE_INFINITY);
  });

  it("holds everybody for as long as the gateway asked, over one timer", async () => {
    const gate = new CallGate(Number.POSITIVE_INFINITY);
    gate.slowDown(2_000);
    const calls = [enter(gate)];
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1_990);
    expect(calls[0]?.admitted).toBe(false);
    await vi.advanceTimersByTimeAsync(20);
    expect(calls[0]?.admitted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("does not wait when the gateway asks for more than is worth waiting for", () => {
    const gate = new CallGate(4);
    gate.slowDown(3_600_000);
    expect(enter(gate).admitted).toBe(true);
  });
});
