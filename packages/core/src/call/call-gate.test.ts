import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CallGate, type Turn } from "./call-gate.js";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const LANE = "general m";
const turn = (more: Partial<Turn> = {}): Turn => ({
  lane: LANE,
  maxPauseMs: 600_000,
  maxWaitMs: Number.POSITIVE_INFINITY,
  ...more,
});

/** Enters and tells whether the call was admitted, or why not. */
function enter(gate: CallGate, more: Partial<Turn> = {}) {
  const state: { admitted: boolean; refusal?: unknown } = { admitted: false };
  const admission = gate.enter(turn(more));
  if (admission === undefined) state.admitted = true;
  else
    void admission.then(
      () => {
        state.admitted = true;
      },
      (refusal) => {
        state.refusal = refusal;
      },
    );
  return state;
}

describe("CallGate", () => {
  it("admits everybody at once when there is no limit", () => {
    const gate = new CallGate(Number.POSITIVE_INFINITY);
    for (let call = 0; call < 1000; call++) expect(gate.enter(turn())).toBeUndefined();
  });

  it("keeps to the limit over all lanes and lets others in, first come first served", async () => {
    const gate = new CallGate(2);
    const calls = ["a", "b", "a", "c", "b"].map((lane) => enter(gate, { lane }));
    const admitted = () => calls.map((call) => call.admitted);
    expect(admitted()).toEqual([true, true, false, false, false]);
    gate.leave("b");
    await Promise.resolve();
    expect(admitted()).toEqual([true, true, true, false, false]);
    gate.leave("a");
    await Promise.resolve();
    expect(admitted()).toEqual([true, true, true, true, false]);
    gate.leave("c");
    await Promise.resolve();
    expect(admitted()).toEqual([true, true, true, true, true]);
  });

  it("gives up the place of a call that is aborted while it waits", async () => {
    const gate = new CallGate(1);
    enter(gate);
    const controller = new AbortController();
    const { signal } = controller;
    const waiting = enter(gate, { signal });
    const next = enter(gate);
    controller.abort(new Error("left"));
    await Promise.resolve();
    expect(waiting.refusal).toEqual({ kind: "aborted", cause: signal.reason });
    gate.leave(LANE);
    await Promise.resolve();
    expect(next.admitted).toBe(true);
    const late = enter(gate, { signal });
    await Promise.resolve();
    expect(late.refusal).toMatchObject({ kind: "aborted" });
  });

  it("gives up the place of a call that has waited as long as it may", async () => {
    const gate = new CallGate(1);
    enter(gate);
    const hurried = enter(gate, { maxWaitMs: 1_000 });
    const patient = enter(gate);
    await vi.advanceTimersByTimeAsync(999);
    expect(hurried.refusal).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(hurried.refusal).toEqual({ kind: "out_of_time" });
    gate.leave(LANE);
    await Promise.resolve();
    expect([hurried.admitted, patient.admitted]).toEqual([false, true]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("halves what runs at once after a 429, and recovers with successes", () => {
    const gate = new CallGate(8);
    for (let call = 0; call < 8; call++) enter(gate);
    gate.slowDown(LANE, undefined);
    for (let call = 0; call < 8; call++) gate.leave(LANE);
    const admitted = () => {
      let count = 0;
      while (enter(gate).admitted) count++;
      return count;
    };
    expect(admitted()).toBe(4);
    const recovering = new CallGate(8);
    for (let call = 0; call < 8; call++) enter(recovering);
    recovering.slowDown(LANE, undefined);
    for (let call = 0; call < 40; call++) recovering.succeeded(LANE);
    for (let call = 0; call < 8; call++) recovering.leave(LANE);
    for (let call = 0; call < 8; call++) expect(enter(recovering).admitted).toBe(true);
    expect(enter(recovering).admitted).toBe(false);
  });

  it("slows down also without a limit, never below one, and lifts the limit again", async () => {
    const gate = new CallGate(Number.POSITIVE_INFINITY);
    enter(gate);
    gate.slowDown(LANE, undefined);
    gate.slowDown(LANE, undefined);
    gate.leave(LANE);
    expect(enter(gate).admitted).toBe(true);
    const waiting = enter(gate);
    expect(waiting.admitted).toBe(false);
    // A limit grows by one per round of successes; this one is nearly there.
    const lane = gate["lanes"].get(LANE);
    if (lane === undefined) throw new Error("There should be a lane.");
    lane.limit = 4_095.9996;
    gate.succeeded(LANE);
    expect(lane.limit).toBeLessThan(4_096);
    gate.succeeded(LANE);
    expect(lane.limit).toBe(Number.POSITIVE_INFINITY);
    gate.leave(LANE);
    await Promise.resolve();
    expect(waiting.admitted).toBe(true);
    for (let call = 0; call < 5_000; call++) expect(gate.enter(turn())).toBeUndefined();
  });

  it("holds a lane for as long as the gateway asked, over one timer, and no other", async () => {
    const gate = new CallGate(Number.POSITIVE_INFINITY);
    gate.slowDown(LANE, 2_000);
    const held = enter(gate);
    expect(enter(gate, { lane: "general other" }).admitted).toBe(true);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1_990);
    expect(held.admitted).toBe(false);
    await vi.advanceTimersByTimeAsync(20);
    expect(held.admitted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("lets calls of other lanes pass those that are held, however many there are", async () => {
    const gate = new CallGate(2);
    gate.slowDown(LANE, 2_000);
    for (let call = 0; call < 10; call++) enter(gate);
    expect(enter(gate, { lane: "b" }).admitted).toBe(true);
    expect(enter(gate, { lane: "b" }).admitted).toBe(true);
    const third = enter(gate, { lane: "b" });
    gate.leave("b");
    await Promise.resolve();
    expect(third.admitted).toBe(true);
  });

  it("refuses at once who may not wait that long, those who wait already and those who come", async () => {
    const gate = new CallGate(1);
    enter(gate);
    const waiting = enter(gate, { maxPauseMs: 1_999 });
    const patient = enter(gate, { maxPauseMs: 2_000 });
    gate.slowDown(LANE, 2_000);
    const coming = enter(gate, { maxPauseMs: 500 });
    await Promise.resolve();
    expect([waiting.refusal, coming.refusal]).toEqual([
      { kind: "paused", forMs: 2_000 },
      { kind: "paused", forMs: 2_000 },
    ]);
    gate.leave(LANE);
    await vi.advanceTimersByTimeAsync(2_010);
    expect(patient.admitted).toBe(true);
  });

  it("does not wait when the gateway asks for more than is worth waiting for", () => {
    const gate = new CallGate(4);
    gate.slowDown(LANE, 3_600_000);
    expect(enter(gate).admitted).toBe(true);
  });

  it("keeps nothing of lanes that are over", () => {
    const gate = new CallGate(4);
    for (let model = 0; model < 1_000; model++) {
      enter(gate, { lane: `general m${model}` });
      gate.leave(`general m${model}`);
    }
    expect(gate["lanes"].size).toBe(0);
  });

  it("keeps nothing of a lane that was slowed down, once that has passed", async () => {
    const gate = new CallGate(4);
    enter(gate);
    gate.slowDown(LANE, 1_000);
    gate.leave(LANE);
    expect(gate["lanes"].size).toBe(1);
    await vi.advanceTimersByTimeAsync(1_001);
    expect(enter(gate).admitted).toBe(true);
    for (let call = 0; call < 20; call++) gate.succeeded(LANE);
    gate.leave(LANE);
    expect(gate["lanes"].size).toBe(0);
  });

  it("keeps the limit of a lane while a call of it runs, and its pause while nobody does", async () => {
    const gate = new CallGate(1);
    enter(gate);
    gate.slowDown(LANE, 1_000);
    gate.leave(LANE);
    const held = enter(gate);
    expect(held.admitted).toBe(false);
    await vi.advanceTimersByTimeAsync(1_001);
    expect(held.admitted).toBe(true);
    expect(enter(gate).admitted).toBe(false);
  });

  it("lets a second call in beside the first, once the first successes have raised the limit", () => {
    const gate = new CallGate(4);
    for (let call = 0; call < 4; call++) enter(gate);
    gate.slowDown(LANE, undefined);
    for (let call = 0; call < 4; call++) gate.leave(LANE);
    // Two at once after the 429; the limit reaches three after one round of successes, and not before.
    expect([enter(gate), enter(gate)].map(({ admitted }) => admitted)).toEqual([true, true]);
    gate.succeeded(LANE);
    expect(enter(gate, { maxWaitMs: 1 }).admitted).toBe(false);
    gate.succeeded(LANE);
    gate.succeeded(LANE);
    gate.leave(LANE);
    gate.leave(LANE);
    expect([enter(gate), enter(gate)].every(({ admitted }) => admitted)).toBe(true);
  });

  it("serves a queue of its own behind a call that was refused, and holds no timer for it", async () => {
    const gate = new CallGate(1);
    enter(gate);
    const controller = new AbortController();
    const left = enter(gate, { signal: controller.signal, maxWaitMs: 60_000 });
    const stays = enter(gate);
    controller.abort();
    await Promise.resolve();
    expect(left.refusal).toMatchObject({ kind: "aborted" });
    expect(vi.getTimerCount()).toBe(0);
    gate.leave(LANE);
    await Promise.resolve();
    expect(stays.admitted).toBe(true);
    gate.leave(LANE);
    expect(gate["waiters"]).toBe(0);
    expect(gate["lanes"].size).toBe(0);
  });

  it("wakes for the lane whose pause is over first", async () => {
    const gate = new CallGate(8);
    gate.slowDown("slow", 50_000);
    gate.slowDown("quick", 1_000);
    const [slow, quick] = [enter(gate, { lane: "slow" }), enter(gate, { lane: "quick" })];
    await vi.advanceTimersByTimeAsync(1_001);
    expect([slow.admitted, quick.admitted]).toEqual([false, true]);
    await vi.advanceTimersByTimeAsync(49_000);
    expect(slow.admitted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("waits sixty seconds for a server that asks for it, and not one more", () => {
    const gate = new CallGate(4);
    gate.slowDown(LANE, 60_000);
    expect(enter(gate).admitted).toBe(false);
    gate.slowDown("other", 60_001);
    expect(enter(gate, { lane: "other" }).admitted).toBe(true);
  });

  it("keeps a lane while any of its calls runs", () => {
    const gate = new CallGate(4);
    enter(gate);
    enter(gate);
    gate.leave(LANE);
    expect(gate["lanes"].get(LANE)?.running).toBe(1);
    gate.leave(LANE);
    expect(gate["lanes"].size).toBe(0);
    gate.succeeded(LANE);
    expect(gate["lanes"].size).toBe(0);
  });

  it("counts a pause from when it was asked for, however long the process has run", async () => {
    await vi.advanceTimersByTimeAsync(86_400_000);
    const gate = new CallGate(4);
    gate.slowDown(LANE, 2_000);
    const [patient, hurried] = [enter(gate, { maxPauseMs: 2_000 }), enter(gate, { maxPauseMs: 1_999 })];
    await Promise.resolve();
    expect(hurried.refusal).toEqual({ kind: "paused", forMs: 2_000 });
    expect(patient.refusal).toBeUndefined();
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    "wakes a call whose pause ends while it is looked at, at the %i. look",
    async (pause) => {
      let now = 1_000;
      const clock = vi.spyOn(performance, "now").mockImplementation(() => now++);
      const gate = new CallGate(4);
      gate.slowDown(LANE, pause);
      const held = enter(gate);
      await vi.advanceTimersByTimeAsync(1_000);
      clock.mockRestore();
      expect(held.admitted).toBe(true);
    },
  );
});
