import { ModelGateway } from "@model-gateway/core";
import { Logger } from "@nestjs/common";
import { Subject } from "rxjs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { bootApp } from "../../test/boot-app.js";
import { SchedulingStore } from "../../test/scheduling-store.js";
import { FAST_POLLS, useEmulator, VIDEO } from "../../test/use-emulator.js";
import {
  ModelGatewayModule,
  type ModelGatewayModuleOptions,
  type VideosOptions,
  VideosService,
} from "../index.js";

async function bootSubmitted(
  videos: VideosOptions = {},
  store = new SchedulingStore(),
  options: ModelGatewayModuleOptions = {},
) {
  const { emulator, connection } = await useEmulator();
  const module = ModelGatewayModule.forRoot({
    ...{ ...connection, ...options },
    videos: { ...FAST_POLLS, store, ...videos },
  });
  const { app } = await bootApp([module]);
  await app.get(VideosService).submit(VIDEO, { key: "order-1" });
  const id = (await store.get("order-1"))?.handle?.id ?? "";
  const polls = () => emulator.journal.list({ method: "GET" }).length;
  return { emulator, store, id, polls };
}

describe("a single poll", () => {
  it("writes what changed and nothing else, and tells when to poll again", async () => {
    const { emulator, store, id, polls } = await bootSubmitted();
    await emulator.clock.advance(1);
    expect(await store.pollOnce("order-1")).toEqual({ failedPolls: 0, nextPollMs: expect.any(Number) });
    const before = await store.get("order-1");
    expect(await store.pollOnce("order-1")).toEqual({ failedPolls: 0, nextPollMs: expect.any(Number) });
    expect(await store.get("order-1")).toEqual(before);
    expect(polls()).toBe(2);
    await emulator.videos.succeed(id);
    expect(await store.pollOnce("order-1")).toEqual({ failedPolls: 0 });
    expect((await store.get("order-1"))?.status).toBe("succeeded");
  });

  it("says what the matter is with a task that cannot be read, each time, and as news once", async () => {
    const { emulator, store, id } = await bootSubmitted();
    const before = await store.get("order-1");
    emulator.faults.add({ kind: "status", status: 502, path: "/videos/*", times: 2 });
    const failed = { failedPolls: 3, nextPollMs: expect.any(Number) };
    expect(await store.pollOnce("order-1", { failedPolls: 2 })).toEqual(failed);
    const first = await store.get("order-1");
    expect(first).toEqual({
      ...before,
      version: (before?.version ?? 0) + 1,
      updatedAt: expect.any(Number),
      stalled: {
        since: expect.any(Number),
        failedPolls: 3,
        problem: { kind: "server", message: expect.stringContaining("502"), requestId: expect.any(String) },
        nextPollAt: expect.any(Number),
      },
    });
    expect(first?.stalled?.nextPollAt).toBeGreaterThan(first?.stalled?.since ?? 0);
    expect(await store.pollOnce("order-1", { failedPolls: 3 })).toMatchObject({ failedPolls: 4 });
    const second = await store.get("order-1");
    expect(second?.stalled).toMatchObject({ since: first?.stalled?.since, failedPolls: 4 });
    expect(second?.version).toBe(first?.version);
    emulator.faults.add({ kind: "status", status: 401, path: "/videos/*", times: 1 });
    expect(await store.pollOnce("order-1", { failedPolls: 4 })).toMatchObject({ failedPolls: 5 });
    const third = await store.get("order-1");
    expect(third?.stalled).toMatchObject({
      since: first?.stalled?.since,
      problem: { kind: "authentication" },
    });
    expect(third?.version).toBe((second?.version ?? 0) + 1);
    expect(third?.handle?.id).toBe(id);
    expect(await store.pollOnce("order-1", { failedPolls: 5 })).toMatchObject({ failedPolls: 0 });
    expect((await store.get("order-1"))?.stalled).toBeUndefined();
  });

  it("takes a 429 for the gateway's pace, and for trouble when the task hears nothing else", async () => {
    const { emulator, store } = await bootSubmitted();
    const before = await store.get("order-1");
    emulator.faults.add({ kind: "status", status: 429, path: "/videos/*", times: 3 });
    const paused = { nextPollMs: expect.any(Number), pauseMs: expect.any(Number) };
    expect(await store.pollOnce("order-1")).toEqual({ failedPolls: 1, ...paused });
    expect(await store.pollOnce("order-1", { failedPolls: 1 })).toEqual({ failedPolls: 2, ...paused });
    expect(await store.get("order-1")).toEqual(before);
    expect(await store.pollOnce("order-1", { failedPolls: 2 })).toEqual({ failedPolls: 3, ...paused });
    expect((await store.get("order-1"))?.stalled?.problem.kind).toBe("rate_limit");
  });

  it("that fails with what is no error of core is no verdict on the task either", async () => {
    const { connection } = await useEmulator();
    const store = new SchedulingStore();
    const module = ModelGatewayModule.forRoot({ ...connection, videos: { ...FAST_POLLS, store } });
    const { app } = await bootApp([module]);
    await app.get(VideosService).submit(VIDEO, { key: "order-1" });
    const bug = vi.spyOn(app.get(ModelGateway).videos, "poll").mockRejectedValue(new TypeError("A bug."));
    onTestFinished(() => bug.mockRestore());
    expect(await store.pollOnce("order-1")).toEqual({ failedPolls: 1, nextPollMs: expect.any(Number) });
    expect((await store.get("order-1"))?.stalled?.problem).toEqual({
      kind: "other",
      message: "TypeError: A bug.",
    });
  });

  it("tells of an outage when the polls of no task are answered", async () => {
    const { connection, emulator } = await useEmulator();
    const store = new SchedulingStore();
    const module = ModelGatewayModule.forRoot({ ...connection, videos: { ...FAST_POLLS, store } });
    const videos = (await bootApp([module])).app.get(VideosService);
    const keys = ["a", "b", "c", "d", "e"];
    for (const key of keys) await videos.submit(VIDEO, { key });
    emulator.faults.add({ kind: "drop-before", path: "/videos/*", times: 5 });
    const probes = [];
    for (const key of keys) probes.push((await store.pollOnce(key)).probeMs);
    expect(probes).toEqual([undefined, undefined, undefined, undefined, 3_000]);
    expect(await videos.troubles()).toEqual([
      expect.stringMatching(/^5 video tasks cannot be read, the first since 2.*connection/),
      expect.stringMatching(/^No poll of a video task was answered since 2.*in 3 seconds/),
    ]);
    expect(await store.pollOnce("a")).not.toHaveProperty("probeMs");
    expect(await videos.troubles()).toEqual([expect.stringMatching(/^4 video tasks/)]);
  });

  it("leaves the task after maxWatchMs, and not one that is over by then", async () => {
    const { emulator, store, id } = await bootSubmitted({ maxWatchMs: 60_000 });
    expect(await store.pollOnce("order-1", { ageMs: 30_000 })).toHaveProperty("nextPollMs");
    expect(await store.pollOnce("order-1", { ageMs: 61_000 })).toEqual({ failedPolls: 0 });
    const left = await store.get("order-1");
    expect(left).toMatchObject({
      watchCancelledAt: expect.any(Number),
      problem: { kind: "video_task_timeout" },
    });
    expect(left?.status).not.toBe("unknown");
    // Somebody had it polled again: its time begins anew.
    expect(await store.pollOnce("order-1", { ageMs: 61_000, watchedMs: 0 })).toHaveProperty("nextPollMs");
    await emulator.videos.succeed(id);
    expect(await store.pollOnce("order-1", { ageMs: 61_000 })).toEqual({ failedPolls: 0 });
    expect(await store.get("order-1")).toMatchObject({ status: "succeeded" });
  });

  it("that is aborted tells nothing of the task", async () => {
    const { store } = await bootSubmitted();
    const before = await store.get("order-1");
    const aborted = { signal: AbortSignal.abort(), failedPolls: 2 };
    expect(await store.pollOnce("order-1", aborted)).toEqual({ failedPolls: 2, nextPollMs: 0 });
    expect(await store.get("order-1")).toEqual(before);
  });

  it("asks nobody about a submission that has no task id", async () => {
    const { store, polls } = await bootSubmitted();
    await store.begin({ key: "lost", submission: { family: "content", body: VIDEO } });
    expect(await store.pollOnce("lost")).toEqual({ failedPolls: 0 });
    expect(polls()).toBe(0);
  });

  it("is due six times as late where callbacks come as well", async () => {
    const callback = {
      publicURL: "https://example.com",
      secret: "a secret of at least thirty-two characters",
    };
    const { store } = await bootSubmitted({ intervalMs: 1_000 }, undefined, { callback });
    const { nextPollMs = 0 } = await store.pollOnce("order-1");
    expect(nextPollMs).toBeGreaterThanOrEqual(5_400);
    expect(nextPollMs).toBeLessThanOrEqual(6_700);
  });
});

describe("polling to the end", () => {
  it("takes no more hints than those of its own time", async () => {
    const { emulator, store, id } = await bootSubmitted();
    const soon = new Subject<void>();
    const ended = store.pollToEnd("order-1", soon);
    await expect.poll(() => soon.observed).toBe(true);
    await emulator.videos.succeed(id);
    await ended;
    expect(soon.observed).toBe(false);
  });
});

describe("a store that refuses what was polled", () => {
  class FullStore extends SchedulingStore {
    isFull = true;
    override async update(...update: Parameters<SchedulingStore["update"]>): Promise<void> {
      if (this.isFull) throw new Error("No space left.");
      await super.update(...update);
    }
  }

  function recordErrors() {
    const logged = vi.spyOn(Logger.prototype, "error").mockReturnValue(undefined);
    onTestFinished(() => logged.mockRestore());
    return logged;
  }

  it("makes a single poll reject, and the log say so", async () => {
    const logged = recordErrors();
    const { emulator, store, id } = await bootSubmitted({}, new FullStore());
    await emulator.videos.succeed(id);
    await expect(store.pollOnce("order-1")).rejects.toThrow("No space left.");
    expect(logged).toHaveBeenCalledWith(expect.stringMatching(/video order-1.*No space left/));
  });

  it("is asked again until it takes it, and the log says so once", async () => {
    const logged = recordErrors();
    const store = new FullStore();
    const { emulator, id } = await bootSubmitted({}, store);
    await emulator.videos.succeed(id);
    const refusals = vi.spyOn(store, "update");
    const ended = store.pollToEnd("order-1", new Subject());
    await expect.poll(() => refusals.mock.calls.length).toBeGreaterThan(3);
    store.isFull = false;
    await ended;
    expect((await store.get("order-1"))?.status).toBe("succeeded");
    expect(logged).toHaveBeenCalledTimes(1);
    expect(logged).toHaveBeenCalledWith(expect.stringMatching(/video order-1.*No space left/));
  });
});
