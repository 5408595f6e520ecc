import { Logger } from "@nestjs/common";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { bootApp } from "../../test/boot-app.js";
import { FAST_POLLS, useEmulator, VIDEO } from "../../test/use-emulator.js";
import { MemoryVideoTaskStore, ModelGatewayModule, type VideosOptions, VideosService } from "../index.js";
import type { VideoTaskPolling } from "./video-task-store.js";

/** Polls when the test says so, as a store that schedules the polls of several processes does. */
class SchedulingStore extends MemoryVideoTaskStore {
  private handedOver: VideoTaskPolling | undefined;

  override async open(polling: VideoTaskPolling): Promise<void> {
    this.handedOver = polling;
    const once: VideoTaskPolling["once"] = (record, options) => polling.once(record, options);
    await super.open({ ratePerSecond: polling.ratePerSecond, toEnd: async () => {}, once });
  }

  async pollOnce(key: string, { signal = new AbortController().signal, failedPolls = 0, ageMs = 0 } = {}) {
    const record = await this.get(key);
    if (this.handedOver === undefined || record === undefined) throw new Error("There is nothing to poll.");
    const aged = { ...record, createdAt: record.createdAt - ageMs };
    return this.handedOver.once(aged, { signal, failedPolls });
  }
}

async function bootSubmitted(options: VideosOptions = {}, store = new SchedulingStore()) {
  const { emulator, connection } = await useEmulator();
  const module = ModelGatewayModule.forRoot({ ...connection, videos: { ...FAST_POLLS, store, ...options } });
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

  it("brings a task back that was given up, although it looks as before", async () => {
    const { store } = await bootSubmitted();
    await store.pollOnce("order-1");
    const before = await store.get("order-1");
    await store.lose("order-1", { kind: "authentication", message: "The key was disabled." });
    await store.pollOnce("order-1");
    const { status, problem } = (await store.get("order-1")) ?? {};
    expect([status, problem]).toEqual([before?.status, undefined]);
  });

  it("counts what may pass, changes nothing, and hands on the pause that the gateway asks for", async () => {
    const { emulator, store } = await bootSubmitted();
    const before = await store.get("order-1");
    emulator.faults.add({ kind: "status", status: 502, path: "/videos/*", times: 1 });
    const failed = { failedPolls: 3, nextPollMs: expect.any(Number) };
    expect(await store.pollOnce("order-1", { failedPolls: 2 })).toEqual(failed);
    emulator.faults.add({ kind: "status", status: 429, path: "/videos/*", times: 1 });
    const paused = { ...failed, pauseMs: expect.any(Number) };
    expect(await store.pollOnce("order-1", { failedPolls: 2 })).toEqual(paused);
    expect(await store.get("order-1")).toEqual(before);
  });

  it("gives the task up, with its handle, when the gateway refuses to tell", async () => {
    const { emulator, store, id } = await bootSubmitted();
    emulator.faults.add({ kind: "status", status: 401, path: "/videos/*", times: 1 });
    expect(await store.pollOnce("order-1")).toEqual({ failedPolls: 1 });
    expect(await store.get("order-1")).toMatchObject({
      status: "unknown",
      handle: { id },
      problem: { kind: "authentication" },
    });
  });

  it("gives the task up after maxWatchMs, and not one that is over by then", async () => {
    const { emulator, store, id } = await bootSubmitted({ maxWatchMs: 60_000 });
    expect(await store.pollOnce("order-1", { ageMs: 30_000 })).toHaveProperty("nextPollMs");
    expect(await store.pollOnce("order-1", { ageMs: 61_000 })).toEqual({ failedPolls: 0 });
    expect(await store.get("order-1")).toMatchObject({
      status: "unknown",
      problem: { kind: "video_task_timeout" },
    });
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

  it("rejects when the store refuses what it saw, and says so in the log", async () => {
    class FullStore extends SchedulingStore {
      override async update(): Promise<void> {
        throw new Error("No space left.");
      }
    }
    const logged = vi.spyOn(Logger.prototype, "error").mockReturnValue(undefined);
    onTestFinished(() => logged.mockRestore());
    const { emulator, store, id } = await bootSubmitted({}, new FullStore());
    await emulator.videos.succeed(id);
    await expect(store.pollOnce("order-1")).rejects.toThrow("No space left.");
    expect(logged).toHaveBeenCalledWith(expect.stringMatching(/video order-1.*No space left/));
  });
});
