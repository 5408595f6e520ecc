import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BadRequestError, InternalServerError, NotFoundError, RateLimitError } from "../errors/api-error.js";
import { APIConnectionError, APIUserAbortError } from "../errors/errors.js";
import type { GatewayError } from "../errors/gateway-error.js";
import { PollScheduler } from "./poll-scheduler.js";
import type { VideoPoll } from "./poll-video-task.js";

const READ: VideoPoll = {
  task: {
    handle: { v: 1, family: "content", id: "t1" },
    id: "t1",
    family: "content",
    status: "running",
    videos: [],
    raw: {},
  },
  changed: false,
  failedPolls: 0,
};
const failedWith = (error: GatewayError): VideoPoll => ({ changed: false, error, failedPolls: 1 });
const UNANSWERED = failedWith(new APIConnectionError("gone", { retryable: true }));

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
    for (let index = 0; index < 30; index++) scheduler.saw("t1", READ);
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
      for (let index = 0; index < 200; index++) scheduler.saw("t1", READ);
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
      scheduler.saw("t1", READ);
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
    scheduler.saw("t1", READ);
    expect(scheduler.pace().perSecond).toBe(300);
  });
});

describe("polls that were asked for", () => {
  it("come before whatever else is due, within the rate", () => {
    const scheduler = new PollScheduler(10);
    const seen: string[] = [];
    for (let index = 0; index < 50; index++) scheduler.schedulePoll(0, () => seen.push("regular"));
    vi.advanceTimersByTime(1_000);
    const before = seen.length;
    scheduler.schedulePoll(0, () => seen.push("asked"), "asked");
    vi.advanceTimersByTime(99);
    expect(seen.length).toBeLessThanOrEqual(before + 1);
    vi.advanceTimersByTime(101);
    expect(seen.slice(before, before + 2)).toContain("asked");
    vi.advanceTimersByTime(1_000);
    expect(seen.filter((reason) => reason === "asked")).toHaveLength(1);
  });

  it("that are not due yet let others go first", () => {
    const scheduler = new PollScheduler(1_000);
    const seen: string[] = [];
    scheduler.schedulePoll(500, () => seen.push("asked"), "asked");
    scheduler.schedulePoll(100, () => seen.push("retry"), "retry");
    scheduler.schedulePoll(200, () => seen.push("regular"));
    vi.advanceTimersByTime(1_000);
    expect(seen).toEqual(["retry", "regular", "asked"]);
  });
});

describe("an outage", () => {
  it("is told of when the polls of five tasks in a row were not answered, and has one poll in three seconds", () => {
    const scheduler = new PollScheduler(100);
    const polls: number[] = [];
    const since = Date.now();
    for (let task = 0; task < 10_000; task++) {
      const run = () => {
        polls.push(performance.now());
        if (polls.length <= 5) expect(scheduler.pace().outage).toBeUndefined();
        scheduler.saw(`t${task}`, UNANSWERED);
        scheduler.schedulePoll(1_000, run, "retry");
      };
      scheduler.schedulePoll(0, run);
    }
    vi.advanceTimersByTime(3_600_000);
    expect(scheduler.pace().outage).toEqual({ since: expect.any(Number), probeMs: 3_000 });
    expect(scheduler.pace().outage?.since).toBeGreaterThanOrEqual(since);
    expect(polls.length).toBeLessThanOrEqual(5 + 1_200);
    expect(polls.length).toBeGreaterThan(1_150);
    const gaps = polls.slice(5).map((at, index) => at - (polls[4 + index] as number));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(3_000);
    expect(vi.getTimerCount()).toBe(1);
  });

  it("is none while it is the same few tasks that fail: they keep the distances that they were given", () => {
    const scheduler = new PollScheduler(100);
    for (let poll = 0; poll < 100; poll++) scheduler.saw(`t${poll % 4}`, UNANSWERED);
    expect(scheduler.pace().outage).toBeUndefined();
  });

  it("ends with the first answer, and has all that failed polled at the full rate", () => {
    const scheduler = new PollScheduler(100);
    let up = false;
    const read = new Set<number>();
    for (let task = 0; task < 1_000; task++) {
      const run = () => {
        scheduler.saw(`t${task}`, up ? READ : UNANSWERED);
        if (up) read.add(task);
        else scheduler.schedulePoll(30_000, run, "retry");
      };
      scheduler.schedulePoll(0, run);
    }
    vi.advanceTimersByTime(600_000);
    expect(scheduler.pace().outage).toBeDefined();
    up = true;
    // At most until the next probe.
    vi.advanceTimersByTime(3_000);
    expect(read.size).toBeGreaterThan(0);
    expect(scheduler.pace().outage).toBeUndefined();
    vi.advanceTimersByTime(10_500);
    expect(read.size).toBe(1_000);
  });

  it.each<[string, GatewayError]>([
    ["that a task is not there", new NotFoundError("none", { status: 404 })],
    ["that a request is wrong", new BadRequestError("wrong", { status: 400 })],
    ["to slow down", new RateLimitError("slow", { status: 429 })],
  ])("is none where the gateway says %s", (_what, error) => {
    const scheduler = new PollScheduler(100);
    const miss = (from: number, to: number) => {
      for (let task = from; task < to; task++) scheduler.saw(`t${task}`, UNANSWERED);
    };
    miss(0, 4);
    scheduler.saw("t9", failedWith(error));
    miss(4, 8);
    expect(scheduler.pace().outage).toBeUndefined();
    scheduler.saw("t8", failedWith(new InternalServerError("x", { status: 500 })));
    expect(scheduler.pace().outage).toBeDefined();
    // One that the caller aborted says nothing.
    scheduler.saw("t8", failedWith(new APIUserAbortError("left")));
    expect(scheduler.pace().outage).toBeDefined();
    scheduler.saw("t8", failedWith(error));
    expect(scheduler.pace().outage).toBeUndefined();
  });

  it("lets a new task be read before those that failed, and those that were asked for before all", () => {
    const scheduler = new PollScheduler(100);
    const seen: string[] = [];
    for (let task = 0; task < 100; task++) {
      const run = () => {
        scheduler.saw(`t${task}`, UNANSWERED);
        scheduler.schedulePoll(1_000, run, "retry");
      };
      scheduler.schedulePoll(0, run, "retry");
    }
    vi.advanceTimersByTime(20_000);
    scheduler.schedulePoll(0, () => seen.push("new"));
    scheduler.schedulePoll(0, () => seen.push("asked"), "asked");
    vi.advanceTimersByTime(3_000);
    expect(seen).toEqual(["asked"]);
    vi.advanceTimersByTime(3_000);
    expect(seen).toEqual(["asked", "new"]);
  });

  it("leaves the order of what failed as it was", () => {
    const scheduler = new PollScheduler(100);
    const seen: number[] = [];
    for (const delay of [9_000, 8_000, 7_000]) {
      scheduler.schedulePoll(delay, () => seen.push(delay), "retry");
    }
    for (let task = 0; task < 5; task++) scheduler.saw(`t${task}`, UNANSWERED);
    scheduler.saw("t0", READ);
    vi.advanceTimersByTime(100);
    expect(seen.sort()).toEqual([7_000, 8_000, 9_000]);
  });
});
