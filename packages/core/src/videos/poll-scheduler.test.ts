import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PollScheduler } from "./poll-scheduler.js";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("PollScheduler", () => {
  it("runs entries when they are due, in order", () => {
    const scheduler = new PollScheduler(1000);
    const seen: string[] = [];
    scheduler.schedulePoll(300, () => seen.push("late"));
    scheduler.schedulePoll(100, () => seen.push("early"));
    scheduler.scheduleDeadline(200, () => seen.push("deadline"));
    vi.advanceTimersByTime(99);
    expect(seen).toEqual([]);
    vi.advanceTimersByTime(301);
    expect(seen).toEqual(["early", "deadline", "late"]);
  });

  it("keeps ten thousand polls that are due at once to its rate, over one timer", () => {
    const scheduler = new PollScheduler(100);
    let polls = 0;
    for (let index = 0; index < 10_000; index++) scheduler.schedulePoll(0, () => polls++);
    expect(vi.getTimerCount()).toBe(1);
    for (let second = 1; second <= 5; second++) {
      vi.advanceTimersByTime(1000);
      expect(polls).toBeLessThanOrEqual(second * 100 + 10);
      expect(polls).toBeGreaterThan(second * 100 - 20);
    }
  });

  it("halves its rate when it is told to slow down, waits as long as asked, and recovers", () => {
    const scheduler = new PollScheduler(100);
    let polls = 0;
    const poll = () => {
      polls++;
      scheduler.schedulePoll(0, poll);
    };
    scheduler.schedulePoll(0, poll);
    scheduler.slowDown(2_000);
    vi.advanceTimersByTime(1_990);
    expect(polls).toBe(0);
    vi.advanceTimersByTime(2_010);
    expect(polls).toBeGreaterThan(85);
    expect(polls).toBeLessThan(115);
    for (let index = 0; index < 30; index++) scheduler.pollSucceeded();
    polls = 0;
    vi.advanceTimersByTime(1000);
    expect(polls).toBeGreaterThan(90);
  });

  it("slows down to a poll in two seconds, and never to more than it was allowed", () => {
    for (const [maxRate, slowest] of [
      [100, 0.5],
      [0.2, 0.2],
    ] as const) {
      const scheduler = new PollScheduler(maxRate);
      for (let index = 0; index < 20; index++) {
        scheduler.slowDown(undefined);
        vi.advanceTimersByTime(1_001);
      }
      expect(scheduler.pace().perSecond).toBe(slowest);
      for (let index = 0; index < 200; index++) scheduler.pollSucceeded();
      expect(scheduler.pace().perSecond).toBe(maxRate);
    }
  });

  it("halves its rate once for a burst of polls that are refused together", () => {
    const scheduler = new PollScheduler(1_000);
    for (let poll = 0; poll < 20; poll++) scheduler.slowDown(1_000);
    expect(scheduler.pace().perSecond).toBe(500);
    vi.advanceTimersByTime(1_001);
    scheduler.slowDown(1_000);
    expect(scheduler.pace().perSecond).toBe(250);
  });

  it("is back at its full rate within seconds", () => {
    const scheduler = new PollScheduler(1_000);
    for (let pause = 0; pause < 20; pause++) {
      scheduler.slowDown(undefined);
      vi.advanceTimersByTime(1_001);
    }
    const poll = () => {
      scheduler.pollSucceeded();
      scheduler.schedulePoll(0, poll);
    };
    scheduler.schedulePoll(0, poll);
    vi.advanceTimersByTime(5_000);
    expect(scheduler.pace().perSecond).toBe(1_000);
  });

  it("waits a minute for a server that asks for a day", () => {
    const scheduler = new PollScheduler(100);
    scheduler.slowDown(86_400_000);
    expect(scheduler.pace().pausedForMs).toBe(60_000);
  });

  it("keeps a long pause when a short one is asked for after it", () => {
    const scheduler = new PollScheduler(100);
    scheduler.slowDown(60_000);
    scheduler.slowDown(1_000);
    expect(scheduler.pace().pausedForMs).toBe(60_000);
  });

  it("waits for longer than a timer can", () => {
    const scheduler = new PollScheduler(1000);
    const timers = vi.spyOn(globalThis, "setTimeout");
    let polls = 0;
    scheduler.schedulePoll(2 ** 32, () => polls++);
    vi.advanceTimersByTime(2 ** 32 - 1);
    expect(polls).toBe(0);
    vi.advanceTimersByTime(10);
    expect(polls).toBe(1);
    expect(timers.mock.calls.length).toBeLessThan(10);
    timers.mockRestore();
  });

  it("lets deadlines pass while polls are held back", () => {
    const scheduler = new PollScheduler(1);
    const seen: string[] = [];
    for (let index = 0; index < 5; index++) scheduler.schedulePoll(0, () => seen.push("poll"));
    scheduler.scheduleDeadline(500, () => seen.push("deadline"));
    vi.advanceTimersByTime(600);
    expect(seen).toEqual(["poll", "deadline"]);
  });

  it("holds no timer once nothing is waiting", () => {
    const scheduler = new PollScheduler(10);
    const cancels = [1, 2, 3].map((delay) => scheduler.schedulePoll(delay, () => expect.unreachable()));
    for (const cancel of cancels) cancel();
    for (const cancel of cancels) cancel();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("runs what is due to the millisecond", () => {
    const scheduler = new PollScheduler(1_000);
    const seen: string[] = [];
    scheduler.schedulePoll(100, () => seen.push("poll"));
    scheduler.scheduleDeadline(100, () => seen.push("deadline"));
    vi.advanceTimersByTime(99);
    expect(seen).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(seen).toEqual(["deadline", "poll"]);
  });

  it("sets no more timers than there is something to do", () => {
    const scheduler = new PollScheduler(10);
    const timers = vi.spyOn(globalThis, "setTimeout");
    const cancels = Array.from({ length: 100 }, () => scheduler.schedulePoll(0, () => {}));
    expect(timers).toHaveBeenCalledTimes(1);
    for (const cancel of cancels.slice(50)) cancel();
    expect(timers).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1_000);
    // One for each of the ten polls of that second.
    expect(timers.mock.calls.length).toBeLessThanOrEqual(15);
    timers.mockRestore();
  });

  it("wakes earlier for what is due earlier", () => {
    const scheduler = new PollScheduler(1_000);
    const seen: string[] = [];
    scheduler.scheduleDeadline(1_000, () => seen.push("deadline"));
    scheduler.schedulePoll(10, () => seen.push("poll"));
    vi.advanceTimersByTime(10);
    expect(seen).toEqual(["poll"]);
    vi.advanceTimersByTime(990);
    expect(seen).toEqual(["poll", "deadline"]);
  });

  it("forgets nothing when another is cancelled twice, or after it ran", () => {
    const scheduler = new PollScheduler(1_000);
    const seen: string[] = [];
    const cancelFirst = scheduler.schedulePoll(10, () => seen.push("first"));
    const cancelSecond = scheduler.schedulePoll(20, () => seen.push("second"));
    scheduler.schedulePoll(30, () => seen.push("third"));
    vi.advanceTimersByTime(10);
    cancelFirst();
    cancelSecond();
    cancelSecond();
    cancelSecond();
    vi.advanceTimersByTime(20);
    expect(seen).toEqual(["first", "third"]);
    scheduler.schedulePoll(0, () => seen.push("later"));
    vi.advanceTimersByTime(1);
    expect(seen).toEqual(["first", "third", "later"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    [100, 10],
    [5, 1],
  ])("at a rate of %i saves up for %i polls at once, however long nobody polled", (rate, burst) => {
    const scheduler = new PollScheduler(rate);
    vi.advanceTimersByTime(60_000);
    let polls = 0;
    for (let index = 0; index < 200; index++) scheduler.schedulePoll(0, () => polls++);
    vi.advanceTimersByTime(1);
    expect(polls).toBe(burst);
    vi.advanceTimersByTime(999);
    expect(polls).toBe(burst + rate);
  });

  it("polls again at the end of a pause, and halves its rate for the next", () => {
    const scheduler = new PollScheduler(1_000);
    scheduler.slowDown(undefined);
    expect(scheduler.pace()).toEqual({ perSecond: 500, maxPerSecond: 1_000, pausedForMs: 1_000 });
    let polls = 0;
    scheduler.schedulePoll(0, () => polls++);
    vi.advanceTimersByTime(999);
    expect(scheduler.pace().pausedForMs).toBe(1);
    scheduler.slowDown(1);
    expect(scheduler.pace().perSecond).toBe(500);
    expect(polls).toBe(0);
    vi.advanceTimersByTime(1);
    expect(polls).toBe(1);
    expect(scheduler.pace().pausedForMs).toBe(0);
    scheduler.slowDown(100);
    expect(scheduler.pace().perSecond).toBe(250);
    vi.advanceTimersByTime(5_000);
    expect(scheduler.pace().pausedForMs).toBe(0);
    scheduler.pollSucceeded();
    expect(scheduler.pace().perSecond).toBe(300);
  });
});
