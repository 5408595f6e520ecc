import { getEventListeners, once } from "node:events";
import { afterEach, describe, expect, it, vi } from "vitest";
import { gatewayFor } from "../../test/gateways.js";
import { startServer } from "../../test/scripted-server.js";
import { NotFoundError, PermissionDeniedError, RateLimitError } from "../errors/api-error.js";
import type { VideoTaskHandle } from "../tasks/video-task-handle.js";
import { PollScheduler } from "./poll-scheduler.js";
import type { VideoPoll } from "./poll-video-task.js";
import { VideoTaskTimeoutError } from "./video-errors.js";
import type { VideoTask } from "./video-types.js";
import { VideoTaskWatch, type WatchOptions } from "./watch-video-task.js";

const HANDLE: VideoTaskHandle = { v: 1, family: "content", id: "t1" };

afterEach(() => {
  vi.useRealTimers();
});

function startClock() {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
  // A process is older than its watches.
  vi.advanceTimersByTime(3_600_000);
}

/** A watch on a clock that the test moves. Each poll is answered when the test says so. */
function watchOnTestClock(
  options: WatchOptions,
  handle = HANDLE,
  onPoll: (poll: VideoPoll) => void = () => {},
) {
  if (!vi.isFakeTimers()) startClock();
  const answers: Array<{ resolve: (task: VideoTask) => void; reject: (error: unknown) => void }> = [];
  const signals: AbortSignal[] = [];
  const told: VideoPoll[] = [];
  const scheduler = new PollScheduler(1_000);
  const watch = new VideoTaskWatch(
    handle,
    options,
    scheduler,
    (_handle, signal) => {
      signals.push(signal);
      return new Promise((resolve, reject) => answers.push({ resolve, reject }));
    },
    (poll) => {
      told.push(poll);
      onPoll(poll);
    },
  );
  const polls = () => answers.length;
  const advance = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  const answer = (status: VideoTask["status"], more: Partial<VideoTask> = {}) => {
    answers.at(-1)?.resolve({ handle, id: "t1", family: "content", status, videos: [], raw: {}, ...more });
    return advance(0);
  };
  const fail = (error: unknown) => {
    answers.at(-1)?.reject(error);
    return advance(0);
  };
  return { watch, polls, answer, fail, advance, signals, told, scheduler };
}

describe("a poll ahead of time, on the clock", () => {
  it("replaces the one that was due: there is one loop of polls", async () => {
    const { watch, polls, answer, advance } = watchOnTestClock({ intervalMs: 10_000 });
    await advance(1);
    await answer("running");
    watch.pollSoon();
    await advance(1_000);
    expect(polls()).toBe(2);
    await answer("running");
    // When the replaced one would have been due there is none; the next comes an interval after the second.
    await advance(10_500 - 1_500);
    expect(polls()).toBe(2);
    await advance(3_000);
    expect(polls()).toBe(3);
  });

  it("that is asked for during a poll comes a second after it", async () => {
    const { watch, polls, answer, advance } = watchOnTestClock({ intervalMs: 10_000 });
    await advance(1);
    watch.pollSoon();
    await answer("running");
    await advance(990);
    expect(polls()).toBe(1);
    await advance(20);
    expect(polls()).toBe(2);
    // Once: then the interval holds again.
    await answer("running");
    await advance(5_000);
    expect(polls()).toBe(2);
  });

  it("comes at once where the last poll is long ago, and once however often it is asked for", async () => {
    const { watch, polls, answer, advance } = watchOnTestClock({ intervalMs: 600_000 });
    await advance(1);
    await answer("queued");
    await advance(1_000);
    for (let hint = 0; hint < 1_000; hint++) watch.pollSoon();
    await advance(1);
    expect(polls()).toBe(2);
    await answer("running");
    await advance(300_000);
    expect(polls()).toBe(2);
    await advance(400_000);
    expect(polls()).toBe(3);
  });

  it("comes a second after the last one, and not before", async () => {
    const { watch, polls, answer, advance } = watchOnTestClock({ intervalMs: 600_000 });
    await advance(1);
    await answer("running");
    watch.pollSoon();
    await advance(999);
    expect(polls()).toBe(1);
    await advance(1);
    expect(polls()).toBe(2);
  });

  it("comes before a backlog of polls that nobody asked for, also where its own was due long ago", async () => {
    startClock();
    const scheduler = new PollScheduler(1);
    const seen: string[] = [];
    const watchOf = (id: string) =>
      new VideoTaskWatch({ ...HANDLE, id }, { intervalMs: 1 }, scheduler, ({ id: polled }) => {
        seen.push(polled);
        return new Promise(() => {});
      });
    for (let task = 0; task < 100; task++) watchOf(`t${task}`);
    await vi.advanceTimersByTimeAsync(1);
    const late = watchOf("late");
    await vi.advanceTimersByTimeAsync(10_000);
    late.pollSoon();
    late.pollSoon();
    const before = seen.length;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(seen.slice(before)).toEqual(["late"]);
  });

  it("comes no more once the watch is over", async () => {
    const { watch, polls, answer, advance } = watchOnTestClock({ intervalMs: 600_000 });
    await advance(1);
    await answer("running");
    await watch.return();
    watch.pollSoon();
    expect(vi.getTimerCount()).toBe(0);
    await advance(60_000);
    expect(polls()).toBe(1);
  });

  it("is not put off by asking again", async () => {
    const { watch, polls, answer, advance } = watchOnTestClock({ intervalMs: 600_000 });
    await advance(1);
    await answer("running");
    for (let hint = 0; hint < 10; hint++) {
      watch.pollSoon();
      await advance(100);
    }
    expect(polls()).toBe(2);
  });

  it("puts none off that is due before", async () => {
    const { watch, polls, answer, advance } = watchOnTestClock({ intervalMs: 100 });
    await advance(1);
    await answer("running");
    watch.pollSoon();
    await advance(200);
    expect(polls()).toBe(2);
    watch.pollSoon();
    await answer("running");
    await advance(200);
    expect(polls()).toBe(3);
  });
});

describe("a watch of a task whose age nobody knows", () => {
  it("polls less often the longer it goes on", async () => {
    const { polls, answer, advance } = watchOnTestClock({ intervalMs: 100 });
    const pollFor = async (ms: number) => {
      const before = polls();
      for (let step = 0; step < ms / 10; step++) {
        await advance(10);
        await answer("running");
      }
      return polls() - before;
    };
    expect(await pollFor(1_000)).toBeGreaterThan(7);
    await pollFor(12_000);
    expect(await pollFor(6_000)).toBeLessThan(13);
  });
});

describe("a watch that is read", () => {
  it("shows each change once, those that came before its reader too, and then ends", async () => {
    const { watch, answer, advance } = watchOnTestClock({ intervalMs: 100 });
    await advance(1);
    await answer("queued");
    await advance(120);
    await answer("queued");
    await advance(120);
    await answer("running");
    expect(await watch.next()).toMatchObject({ done: false, value: { status: "queued" } });
    expect((await watch.next()).value).toMatchObject({ status: "running" });
    const next = watch.next();
    await advance(120);
    await answer("running");
    await advance(120);
    await answer("failed", { error: { message: "no" } });
    expect((await next).value).toMatchObject({ status: "failed" });
    expect(await watch.next()).toEqual({ value: undefined, done: true });
  });

  it("shows nothing any more once its reader has left, whatever had come", async () => {
    const { watch, polls, answer, advance, told, signals } = watchOnTestClock({ intervalMs: 100 });
    await advance(1);
    await answer("queued");
    await advance(120);
    expect(polls()).toBe(2);
    expect(signals[1]?.aborted).toBe(false);
    expect(await watch.return()).toEqual({ value: undefined, done: true });
    expect(signals[1]?.aborted).toBe(true);
    await answer("running");
    expect(told).toHaveLength(1);
    expect(await watch.next()).toEqual({ value: undefined, done: true });
    await advance(1_000);
    expect(polls()).toBe(2);
    expect(watch[Symbol.asyncIterator]()).toBe(watch);
  });

  it("hears nothing any more of a poll that its reader left, whatever becomes of that", async () => {
    const { watch, fail, advance } = watchOnTestClock({});
    await advance(1);
    await watch.return();
    await fail(new TypeError("a bug"));
    expect(await watch.next()).toEqual({ value: undefined, done: true });
  });

  it("lets a waiting reader go", async () => {
    const { watch, advance } = watchOnTestClock({});
    const next = watch.next();
    await advance(1);
    await watch.return();
    expect(await next).toEqual({ value: undefined, done: true });
  });
});

describe("a watch of a task that cannot be read", () => {
  const refused = () => new PermissionDeniedError("no", { status: 403 });

  it("tells what is the matter, and since when, until a poll gets through", async () => {
    const { watch, answer, fail, advance, told } = watchOnTestClock({
      intervalMs: 100,
      backoff: { refusedMs: 1_000 },
    });
    await advance(1);
    await answer("running");
    expect(watch.trouble).toBeUndefined();
    await advance(120);
    const error = refused();
    await fail(error);
    const since = Date.now();
    expect(watch.trouble).toEqual({ error, failedPolls: 1, since });
    expect(error.handle).toBe(HANDLE);
    await advance(1_200);
    const second = refused();
    await fail(second);
    expect(watch.trouble).toEqual({ error: second, failedPolls: 2, since });
    await advance(1_200);
    await answer("running");
    expect(watch.trouble).toBeUndefined();
    expect(told.map(({ failedPolls, changed }) => [failedPolls, changed])).toEqual([
      [0, true],
      [1, false],
      [2, false],
      [0, false],
    ]);
  });

  it("takes no trouble from a task that is too new to be known", async () => {
    startClock();
    const { watch, fail, advance } = watchOnTestClock({}, { ...HANDLE, createdAt: Date.now() });
    await advance(1);
    await fail(new NotFoundError("none", { status: 404 }));
    expect(watch.trouble).toBeUndefined();
  });

  it("takes a task of unknown age for as old as the watch", async () => {
    const { watch, fail, advance } = watchOnTestClock({ backoff: { refusedMs: 40_000 } });
    await advance(1);
    await fail(new NotFoundError("none", { status: 404 }));
    expect(watch.trouble).toBeUndefined();
    watch.pollSoon();
    await advance(31_000);
    await fail(new NotFoundError("none", { status: 404 }));
    expect(watch.trouble).toMatchObject({ failedPolls: 1 });
  });

  it("slows all polls of the client down after a 429, and gives speed back with a success", async () => {
    const { answer, fail, advance, scheduler } = watchOnTestClock({ intervalMs: 100 });
    await advance(1);
    await fail(new RateLimitError("slow", { status: 429, retryAfterMs: 2_000, retryable: true }));
    expect(scheduler.pace()).toEqual({ perSecond: 500, maxPerSecond: 1_000, pausedForMs: 2_000 });
    await advance(3_000);
    await answer("running");
    expect(scheduler.pace()).toEqual({ perSecond: 550, maxPerSecond: 1_000, pausedForMs: 0 });
  });

  it("tells its caller of each poll, and of how it went", async () => {
    const onPoll = vi.fn<(poll: VideoPoll) => void>();
    const { fail, answer, advance } = watchOnTestClock({ intervalMs: 100, onPoll });
    await advance(1);
    await fail(refused());
    await advance(1_000);
    await answer("running");
    await advance(1_000);
    await answer("running");
    expect(onPoll.mock.calls.map(([{ failedPolls, changed }]) => [failedPolls, changed])).toEqual([
      [1, false],
      [0, true],
      [0, false],
    ]);
  });

  it("ends when its caller ends it on hearing of that", async () => {
    const { watch, polls, fail, advance } = watchOnTestClock(
      { intervalMs: 100 },
      HANDLE,
      () => void watch.return(),
    );
    await advance(1);
    await fail(refused());
    expect(vi.getTimerCount()).toBe(0);
    await advance(60_000);
    expect(polls()).toBe(1);
    expect((await watch.next()).done).toBe(true);
  });
});

describe("a watch with a time limit", () => {
  it("gives up at its end with the task as last seen, also during a poll, and lets go of that", async () => {
    const { watch, answer, advance, signals } = watchOnTestClock({ intervalMs: 400, timeoutMs: 1_000 });
    await advance(1);
    await answer("running");
    await watch.next();
    const next = watch.next().catch((error: unknown) => error);
    await advance(998);
    expect(signals.at(-1)?.aborted).toBe(false);
    await advance(1);
    const error = await next;
    expect(error).toBeInstanceOf(VideoTaskTimeoutError);
    expect(error).toMatchObject({ handle: HANDLE, timeoutMs: 1_000, task: { status: "running" } });
    expect(signals.at(-1)?.aborted).toBe(true);
    expect((await watch.next()).done).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a watch that ends with an error", () => {
  it("polls nothing for a caller who has left before it began", async () => {
    const reason = new Error("why");
    const { watch, polls, advance } = watchOnTestClock({ signal: AbortSignal.abort(reason), timeoutMs: 10 });
    expect(vi.getTimerCount()).toBe(0);
    await advance(60_000);
    expect(polls()).toBe(0);
    await expect(watch.next()).rejects.toMatchObject({
      kind: "aborted",
      handle: HANDLE,
      cause: reason,
      message: "The watch of video task t1 was aborted by the caller. The task itself goes on.",
    });
  });

  it("keeps its first end: an abort after it changes nothing", async () => {
    const controller = new AbortController();
    const { watch, answer, advance } = watchOnTestClock({ signal: controller.signal });
    await advance(1);
    await answer("succeeded");
    controller.abort();
    expect((await watch.next()).value).toMatchObject({ status: "succeeded" });
    expect((await watch.next()).done).toBe(true);
  });

  it("shows nothing any more once it was aborted, and the error once", async () => {
    const controller = new AbortController();
    const { watch, answer, advance } = watchOnTestClock({ signal: controller.signal });
    await advance(1);
    await answer("running");
    controller.abort();
    await expect(watch.next()).rejects.toMatchObject({ kind: "aborted", handle: HANDLE });
    expect(await watch.next()).toEqual({ value: undefined, done: true });
  });

  it("passes on what is no error of the gateway, instead of waiting for ever", async () => {
    const bug = new TypeError("a bug");
    const watch = new VideoTaskWatch(HANDLE, {}, new PollScheduler(1_000), () => Promise.reject(bug));
    await expect(watch.next()).rejects.toBe(bug);
    expect((await watch.next()).done).toBe(true);
  });
});

describe("a watch that is over", () => {
  it("holds no timer and polls no more, when the task is over", async () => {
    const { watch, polls, answer, advance } = watchOnTestClock({ timeoutMs: 3_600_000 });
    await advance(1);
    await answer("succeeded");
    expect(vi.getTimerCount()).toBe(0);
    watch.pollSoon();
    await advance(60_000);
    expect(polls()).toBe(1);
  });

  it("holds no timer and polls no more, when its reader has left", async () => {
    const { watch, polls, answer, advance } = watchOnTestClock({ timeoutMs: 3_600_000 });
    await advance(1);
    await answer("running");
    await watch.return();
    expect(vi.getTimerCount()).toBe(0);
    await advance(60_000);
    expect(polls()).toBe(1);
  });

  it("leaves nothing behind on the caller's signal", async () => {
    const { signal } = new AbortController();
    const { answer, advance } = watchOnTestClock({ signal });
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    await advance(1);
    await answer("succeeded");
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("lets go of a poll that hangs", async () => {
    const server = await startServer(() => {});
    const controller = new AbortController();
    const watch = gatewayFor(server.url, {}).videos.watch(HANDLE, { signal: controller.signal });
    const next = watch.next();
    await server.arrived(1);
    const closed = once(server.requests[0]?.socket ?? expect.unreachable(), "close");
    controller.abort();
    await expect(next).rejects.toMatchObject({ kind: "aborted", handle: HANDLE });
    await closed;
  });
});
