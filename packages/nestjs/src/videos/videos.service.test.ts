import { priceBook } from "@model-gateway/core/prices";
import type { Emulator } from "@model-gateway/emulator";
import { firstValueFrom, lastValueFrom, map, NEVER, take, toArray } from "rxjs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { bootApp } from "../../test/boot-app.js";
import { FAST_POLLS, useEmulator, VIDEO } from "../../test/use-emulator.js";
import {
  ChatService,
  MemoryVideoTaskStore,
  type MetricsEvent,
  MetricsService,
  ModelGatewayModule,
  VideoKeyTakenError,
  VideoNotFoundError,
  type VideosOptions,
  VideosService,
} from "../index.js";

async function bootVideos(options: VideosOptions = {}) {
  const { emulator, connection } = await useEmulator();
  const module = ModelGatewayModule.forRoot({ ...connection, videos: { ...FAST_POLLS, ...options } });
  const { app } = await bootApp([module]);
  const creates = () => emulator.journal.list({ method: "POST", path: "/videos" }).length;
  return { app, emulator, videos: app.get(VideosService), creates };
}

it("has what tasks and answers cost in their records and results, where there are prices", async () => {
  const { emulator, connection } = await useEmulator();
  const prices = priceBook({
    models: { "local-chat": { input: 0.5, output: 2 }, [VIDEO.model]: { videoTokens: 7 } },
  });
  const module = ModelGatewayModule.forRoot({ ...connection, prices, videos: FAST_POLLS });
  const { app } = await bootApp([module]);
  const messages = [{ role: "user" as const, content: "What is 6 times 7?" }];
  const { cost } = await app.get(ChatService).create({ model: "local-chat", messages });
  const chatUnits = emulator.ledger.total().units;
  expect(cost).toMatchObject({ units: chatUnits, source: "price-book" });
  const videos = app.get(VideosService);
  const { key } = await videos.submit(VIDEO);
  await expect.poll(async () => (await videos.get(key))?.handle?.model).toBe(VIDEO.model);
  await emulator.videos.succeed((await videos.get(key))?.handle?.id ?? "");
  await expect.poll(async () => (await videos.get(key))?.status).toBe("succeeded");
  const units = emulator.ledger.total().units - chatUnits;
  expect((await videos.get(key))?.task?.cost).toMatchObject({ units, source: "price-book" });
});

describe("submitting a video", () => {
  it("pays once and polls the task to its end although nobody watches", async () => {
    const { videos, emulator, creates } = await bootVideos();
    const { key } = await videos.submit(VIDEO);
    expect(key).toMatch(/^[0-9a-f-]{36}$/);
    const record = await videos.get(key);
    expect(record?.handle?.id).toBe(emulator.videos.list()[0]?.id);
    expect(record?.submission.body).toEqual(VIDEO);

    // Seen from outside: the gateway is polled until the task is over, with no subscriber here.
    await emulator.videos.succeed(record?.handle?.id ?? "");
    await expect.poll(async () => (await videos.get(key))?.status).toBe("succeeded");
    expect(creates()).toBe(1);
  });

  it("refuses a key that is taken, before anything is sent", async () => {
    const { videos, creates } = await bootVideos();
    expect(await videos.submit(VIDEO, { key: "order-1" })).toEqual({ key: "order-1" });
    await expect(videos.submit(VIDEO, { key: "order-1" })).rejects.toThrow(VideoKeyTakenError);
    expect(creates()).toBe(1);
  });

  it("lets one of two submissions with one key through when they come at once", async () => {
    const { videos, creates } = await bootVideos();
    const outcomes = await Promise.allSettled([1, 2].map(() => videos.submit(VIDEO, { key: "order-1" })));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(creates()).toBe(1);
  });

  it("writes down nothing of what core refuses to send", async () => {
    const { videos, creates } = await bootVideos();
    const wrong = [
      [{ ...VIDEO, model: "" }],
      [{ ...VIDEO, content: "A boat" }],
      [undefined],
      [{ model_name: "local-omni-video" }, { family: "omni-video" }],
      [VIDEO, { family: "no-such-family" }],
    ];
    for (const [body, options] of wrong) {
      const submitted = videos.submit(body as never, { key: "order-1", ...(options as object) });
      await expect(submitted).rejects.toMatchObject({ kind: "invalid_request" });
    }
    expect(await videos.list()).toEqual([]);
    expect(creates()).toBe(0);
    expect(await videos.submit(VIDEO, { key: "order-1" })).toEqual({ key: "order-1" });
  });

  it("writes the intent before it pays", async () => {
    const { videos, emulator } = await bootVideos();
    emulator.faults.add({ kind: "delay", path: "/videos", delayMs: 100 });
    const submitted = videos.submit(VIDEO, { key: "order-1" });
    const first = await firstValueFrom(videos.watch$("order-1").pipe(take(1)));
    expect(first.status).toBe("submitting");
    await submitted;
  });

  it("frees the key when the gateway refused the request", async () => {
    const { videos } = await bootVideos();
    await expect(videos.submit({ ...VIDEO, duration: 99 }, { key: "order-1" })).rejects.toMatchObject({
      kind: "bad_request",
    });
    expect(await videos.get("order-1")).toMatchObject({
      status: "rejected",
      problem: { kind: "bad_request" },
    });
    expect(await lastValueFrom(videos.watch$("order-1"))).toMatchObject({ status: "rejected" });
    expect(await videos.submit(VIDEO, { key: "order-1" })).toEqual({ key: "order-1" });
  });

  it.each(["", 42, null])("refuses a key that is no name: %j", async (key) => {
    const { videos, creates } = await bootVideos();
    await expect(videos.submit(VIDEO, { key: key as string })).rejects.toMatchObject({
      kind: "invalid_request",
      field: "key",
    });
    expect(creates()).toBe(0);
  });

  it("keeps a reference picture out of the records", async () => {
    const { videos } = await bootVideos();
    const picture = `data:image/png;base64,${"A".repeat(100_000)}`;
    const content = [...VIDEO.content, { type: "image_url" as const, image_url: { url: picture } }];
    const { key } = await videos.submit({ ...VIDEO, content }, {}).catch(async () => {
      // Whether this picture can be decoded is the gateway's business.
      const [record] = await videos.list();
      return { key: record?.key ?? "" };
    });
    expect(JSON.stringify((await videos.get(key))?.submission).length).toBeLessThan(5_000);
  });
});

describe("a submission that nobody knows the outcome of", () => {
  it("is kept as unknown, announced, and never sent again", async () => {
    const { videos, emulator, creates } = await bootVideos();
    emulator.faults.add({ kind: "drop-after", path: "/videos", times: 1 });
    const announced = firstValueFrom(videos.orphans$);
    await expect(videos.submit(VIDEO, { key: "order-1" })).rejects.toMatchObject({ maybeProcessed: true });
    expect(await announced).toMatchObject({ key: "order-1", status: "unknown" });
    // Whoever asks later is told too.
    expect(await firstValueFrom(videos.orphans$)).toMatchObject({ key: "order-1" });
    expect(await lastValueFrom(videos.watch$("order-1"))).toMatchObject({
      status: "unknown",
      problem: { kind: "connection" },
    });
    await expect(videos.submit(VIDEO, { key: "order-1" })).rejects.toThrow(VideoKeyTakenError);
    expect(await videos.list({ status: "unknown" })).toHaveLength(1);
    expect(creates()).toBe(1);
  });
});

describe("watching a video", () => {
  it("tells of each change and completes when the task is over", async () => {
    const { videos, emulator } = await bootVideos();
    const { key } = await videos.submit(VIDEO);
    const id = (await videos.get(key))?.handle?.id ?? "";
    const first = firstValueFrom(videos.watch$(key));
    const all = lastValueFrom(videos.watch$(key).pipe(toArray()));
    expect((await first).task?.videos).toEqual([]);
    await emulator.videos.succeed(id);
    const seen = await all;
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.at(-1)?.status).toBe("succeeded");
    expect(seen.at(-1)?.task?.videos[0]?.url).toMatch(/^http/);
    const versions = seen.map(({ version }) => version);
    expect(versions).toEqual([...new Set(versions)].sort((one, other) => one - other));
  });

  it("costs the polls of one, however many watch", async () => {
    let polling = 0;
    const atOnce: number[] = [];
    const { emulator, connection } = await useEmulator();
    const counting: typeof globalThis.fetch = async (input, init) => {
      if (init?.method !== "GET") return fetch(input, init);
      atOnce.push(++polling);
      return fetch(input, init).finally(() => polling--);
    };
    const { app } = await bootApp([
      ModelGatewayModule.forRoot({ ...connection, fetch: counting, videos: FAST_POLLS }),
    ]);
    const videos = app.get(VideosService);
    const { key } = await videos.submit(VIDEO);
    const id = (await videos.get(key))?.handle?.id ?? "";
    const all = Array.from({ length: 50 }, () => lastValueFrom(videos.watch$(key)));
    await expect.poll(() => atOnce.length).toBeGreaterThan(10);
    // One loop: no two polls of the task overlap.
    expect(Math.max(...atOnce)).toBe(1);
    await emulator.videos.fail(id, "no boats today");
    const records = await Promise.all(all);
    expect(new Set(records.map(({ status }) => status))).toEqual(new Set(["failed"]));
    expect(records[0]?.task?.error?.message).toContain("no boats today");
  });

  it("answers a late subscriber from the store, without a poll", async () => {
    const { videos, emulator } = await bootVideos();
    const { key } = await videos.submit(VIDEO);
    await emulator.videos.succeed((await videos.get(key))?.handle?.id ?? "");
    await lastValueFrom(videos.watch$(key));
    emulator.journal.clear();
    const late = await lastValueFrom(
      videos.watch$(key).pipe(
        map(({ status }) => status),
        toArray(),
      ),
    );
    expect(late).toEqual(["succeeded"]);
    expect(emulator.journal.list()).toEqual([]);
  });

  it("goes on for others when one unsubscribes", async () => {
    const { videos, emulator } = await bootVideos();
    const { key } = await videos.submit(VIDEO);
    const staying = lastValueFrom(videos.watch$(key));
    await firstValueFrom(videos.watch$(key));
    await emulator.videos.succeed((await videos.get(key))?.handle?.id ?? "");
    expect((await staying).status).toBe("succeeded");
  });

  it("looks for itself once in a while where the news of other processes may get lost", async () => {
    class DeafStore extends MemoryVideoTaskStore {
      override readonly shared = true;
      override readonly changes$ = NEVER;
      isAway = false;
      override async get(key: string) {
        if (this.isAway) throw new Error("The server is away.");
        return super.get(key);
      }
    }
    const store = new DeafStore();
    const { videos, emulator } = await bootVideos({ store });
    const { key } = await videos.submit({ ...VIDEO, content: [{ type: "text", text: "[[stuck]]" }] });
    // The clock of RxJS; those of core and of the emulator go on.
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const watched = lastValueFrom(videos.watch$(key));
    await emulator.videos.succeed((await videos.get(key))?.handle?.id ?? "");
    await expect.poll(async () => (await store.get(key))?.status).toBe("succeeded");
    store.isAway = true;
    await vi.advanceTimersByTimeAsync(31_000);
    store.isAway = false;
    await vi.advanceTimersByTimeAsync(31_000);
    expect((await watched).status).toBe("succeeded");
  });

  it("fails for a key that nobody submitted", async () => {
    const { videos } = await bootVideos();
    await expect(lastValueFrom(videos.watch$("nobody"))).rejects.toThrow(VideoNotFoundError);
    expect(await videos.get("nobody")).toBeUndefined();
  });
});

describe("polling", () => {
  it.each<Parameters<Emulator["faults"]["add"]>[0]>([{ kind: "status", status: 502 }, { kind: "html" }])(
    "rides out a gateway that fails for a while: %j",
    async (fault) => {
      const { videos, emulator } = await bootVideos();
      const { key } = await videos.submit(VIDEO);
      const id = (await videos.get(key))?.handle?.id ?? "";
      // More failures in a row than one watch of core rides out.
      emulator.faults.add({ ...fault, path: "/videos/*", times: 12 });
      await emulator.videos.succeed(id);
      expect((await lastValueFrom(videos.watch$(key))).status).toBe("succeeded");
    },
  );

  it("rides out a key that cannot be had for a while", async () => {
    let failures = 0;
    const { emulator, connection } = await useEmulator();
    const apiKey = async () => {
      if (failures-- > 0) throw new Error("The vault is sealed.");
      return connection.apiKey;
    };
    const { app } = await bootApp([
      ModelGatewayModule.forRoot({ ...connection, apiKey, videos: FAST_POLLS }),
    ]);
    const videos = app.get(VideosService);
    const { key } = await videos.submit(VIDEO);
    failures = 12;
    await emulator.videos.succeed((await videos.get(key))?.handle?.id ?? "");
    expect((await lastValueFrom(videos.watch$(key))).status).toBe("succeeded");
    failures = 1;
    await expect(videos.submit(VIDEO, { key: "order-1" })).rejects.toMatchObject({ kind: "configuration" });
    // Nothing was sent, so nothing was paid.
    expect(await videos.submit(VIDEO, { key: "order-1" })).toEqual({ key: "order-1" });
    expect(emulator.journal.list({ method: "POST" })).toHaveLength(2);
  });

  it.each([401, 403, 400, 500])(
    "goes on while polls are answered %i: that says nothing about a task that was paid for",
    async (status) => {
      const { app, videos, emulator } = await bootVideos();
      emulator.faults.add({ kind: "status", status, path: "/videos/*", times: 12 });
      const told: MetricsEvent[] = [];
      app.get(MetricsService).events$.subscribe((event) => told.push(event));
      const { key } = await videos.submit(VIDEO);
      await emulator.videos.succeed(emulator.videos.list()[0]?.id ?? "");
      const last = await lastValueFrom(videos.watch$(key));
      expect(last).toMatchObject({ status: "succeeded" });
      expect(last.problem).toBeUndefined();
      expect(emulator.journal.list({ method: "GET" })).toHaveLength(13);
      const failed = told.filter(({ type }) => type === "poll_failed");
      expect(failed).toHaveLength(12);
      expect(failed[0]).toMatchObject({ task: last.handle?.id, failedPolls: 1 });
    },
  );

  const STUCK = { ...VIDEO, content: [{ type: "text" as const, text: "[[stuck]]" }] };

  it("leaves a task as it stands after maxWatchMs, says so, and forgets it not", async () => {
    const store = new MemoryVideoTaskStore({ retention: { maxFinished: 1 } });
    const { videos } = await bootVideos({ maxWatchMs: 20, store });
    const keys = [];
    for (let task = 0; task < 3; task++) keys.push((await videos.submit(STUCK)).key);
    for (const key of keys) {
      const left = await lastValueFrom(videos.watch$(key));
      expect(left).toMatchObject({
        watchCancelledAt: expect.any(Number),
        problem: { kind: "video_task_timeout" },
      });
      expect(left.status).not.toBe("unknown");
      expect(left.handle).toBeDefined();
    }
    expect((await videos.list({ finished: false })).map(({ key }) => key)).toEqual(keys);
    expect(await videos.troubles()).toEqual([
      expect.stringMatching(/^3 video tasks .*maxWatchMs.*reconcile/),
    ]);
    expect((await videos.reconcile(keys[0] ?? "")).problem).toBeUndefined();
  });

  it("counts maxWatchMs also while the task cannot be read", async () => {
    const { videos, emulator } = await bootVideos({ intervalMs: 1, maxWatchMs: 300 });
    emulator.faults.add({ kind: "status", status: 502, path: "/videos/*" });
    const { key } = await videos.submit(VIDEO);
    const left = await lastValueFrom(videos.watch$(key));
    expect(left).toMatchObject({ problem: { kind: "video_task_timeout" } });
    expect(left.stalled).toBeUndefined();
  });
});
