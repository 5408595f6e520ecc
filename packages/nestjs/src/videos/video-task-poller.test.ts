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

  it("names the next one also when the gateway refuses to tell: the task was paid for", async () => {
    const { emulator, store, id } = await bootSubmitted();
    const before = await store.get("order-1");
    emulator.faults.add({ kind: "status", status: 401, path: "/videos/*", times: 1 });
    expect(await store.pollOnce("order-1")).toEqual({ failedPolls: 1, nextPollMs: expect.any(Number) });
    expect(await store.get("order-1")).toEqual(before);
    expect(before?.handle?.id).toBe(id);
  });

  it("gives the task up after maxWatchMs, and not one that is over by then", async () => {
    const { emulator, store, id } = await bootSubmitted({ maxWatchMs: 60_000 });
    expect(await store.pollOnce("order-1", { ageMs: 30_000 })).toHaveProperty("nextPollMs");
    expect(await store.pollOnce("order-1", { ageMs: 61_000 })).toEqual({ failedPolls: 0 });
    expect(await store.get("order-1")).toMatchObject({
      status: "unknown",
      problem: { kind: "video_task_timeout" },
    });
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
  it.each<{ how: string; poll: (store: SchedulingStore) => Promise<unknown> }>([
    { how: "once", poll: (store) => store.pollOnce("order-1") },
    { how: "to the end", poll: (store) => store.pollToEnd("order-1", new Subject()) },
  ])("$how makes the poll reject, and the log say so", async ({ poll }) => {
    class FullStore extends SchedulingStore {
      override async update(): Promise<void> {
        throw new Error("No space left.");
      }
    }
    const logged = vi.spyOn(Logger.prototype, "error").mockReturnValue(undefined);
    onTestFinished(() => logged.mockRestore());
    const { emulator, store, id } = await bootSubmitted({}, new FullStore());
    await emulator.videos.succeed(id);
    await expect(poll(store)).rejects.toThrow("No space left.");
    expect(logged).toHaveBeenCalledWith(expect.stringMatching(/video order-1.*No space left/));
  });
});
