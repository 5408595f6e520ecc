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
});
