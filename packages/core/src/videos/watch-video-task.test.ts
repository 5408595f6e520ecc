import { getEventListeners, once } from "node:events";
import { afterEach, describe, expect, it, vi } from "vitest";
import { gatewayFor } from "../../test/gateways.js";
import { startServer } from "../../test/scripted-server.js";
import { PollScheduler } from "./poll-scheduler.js";
import type { VideoTask, VideoTaskHandle } from "./video-types.js";
import { VideoTaskWatch, type WatchOptions } from "./watch-video-task.js";

const HANDLE: VideoTaskHandle = { v: 1, family: "content", id: "t1" };

afterEach(() => {
  vi.useRealTimers();
});

/** A watch on a clock that the test moves. Each poll is answered when the test says so. */
function watchOnTestClock(options: WatchOptions) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const answers: Array<(status: VideoTask["status"]) => Promise<void>> = [];
  const watch = new VideoTaskWatch(
    HANDLE,
    options,
    new PollScheduler(1_000),
    () =>
      new Promise((resolve) => {
        answers.push(async (status) => {
          resolve({ handle: HANDLE, id: "t1", family: "content", status, videos: [], raw: {} });
          await vi.advanceTimersByTimeAsync(0);
        });
      }),
  );
  const polls = () => answers.length;
  const answer = (status: VideoTask["status"]) => answers.at(-1)?.(status);
  const advance = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  return { watch, polls, answer, advance };
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

describe("a watch that ends with an error", () => {
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
