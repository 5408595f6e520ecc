import { Inject, Injectable } from "@nestjs/common";
import { describe, expect, it } from "vitest";
import { BullMqVideoTaskStore } from "../../src/bullmq.js";
import {
  ModelGatewayModule,
  OnVideo,
  type VideoDeliveryAttempt,
  VideosService,
  type VideoTaskRecord,
} from "../../src/index.js";
import { bootApp } from "../boot-app.js";
import { useEmulator, VIDEO } from "../use-emulator.js";
import { describeEachBackend, type StoreOptions } from "./describe-each-backend.js";
import { startReplica } from "./start-replica.js";

const STUCK = { ...VIDEO, content: [{ type: "text" as const, text: "[[stuck]]" }] };
const POLLS = { intervalMs: 20, ratePerSecond: 200, handlers: { firstMs: 1, maxMs: 2, attempts: 3 } };

/** What all replicas did, in one place. */
class Calls {
  readonly made: Array<{ key: string; id: string; attempt: number }> = [];
  /** Keys whose handler runs right now. */
  readonly running = new Set<string>();
  readonly twiceAtOnce: string[] = [];
  answer: (attempt: number) => unknown = () => undefined;
}

@Injectable()
class Shop {
  constructor(@Inject(Calls) private readonly calls: Calls) {}

  @OnVideo("succeeded", "unknown")
  async ship({ key }: VideoTaskRecord, { id, attempt }: VideoDeliveryAttempt) {
    const { made, running, twiceAtOnce } = this.calls;
    made.push({ key, id, attempt });
    if (running.has(key)) twiceAtOnce.push(key);
    running.add(key);
    try {
      await this.calls.answer(attempt);
    } finally {
      running.delete(key);
    }
  }
}

async function useShops(freshQueue: StoreOptions) {
  const { emulator, connection } = await useEmulator();
  const options = { ...freshQueue(), lockDurationMs: 1_000 };
  const calls = new Calls();
  const boot = async (settings: { concurrency?: number } = {}) => {
    const store = new BullMqVideoTaskStore({ ...options, ...settings });
    const { app } = await bootApp(
      [ModelGatewayModule.forRoot({ ...connection, videos: { ...POLLS, store } })],
      {
        providers: [Shop, { provide: Calls, useValue: calls }],
      },
    );
    return { app, videos: app.get(VideosService) };
  };
  /** In a process of its own, which never returns from its handler. */
  const bootHanging = () => {
    const { backend, ...store } = options;
    return startReplica({
      gateway: { apiKey: connection.apiKey, baseURL: emulator.urls.cdn, videos: POLLS },
      ...{ store, onPostgres: backend !== undefined, hangsInHandler: true },
      submit: { key: "order-1", body: STUCK },
    });
  };
  const endAll = async () => {
    for (const { id } of emulator.videos.list()) await emulator.videos.succeed(id);
  };
  const states = async (videos: VideosService, key: string) =>
    (await videos.get(key))?.deliveries?.map(({ state, attempts }) => [state, attempts]);
  return { emulator, calls, boot, bootHanging, endAll, states };
}

describe("handlers on BullMQ", () => {
  describeEachBackend((freshQueue) => {
    it("are called by one replica of two, once for each task, also while both poll", async () => {
      const { calls, boot, endAll } = await useShops(freshQueue);
      const [one, other] = [await boot(), await boot()];
      calls.answer = () => new Promise(setImmediate);
      const keys = Array.from({ length: 12 }, (_, index) => `order-${index}`);
      await Promise.all(keys.map((key) => one.videos.submit(STUCK, { key })));
      await endAll();
      await expect
        .poll(async () => (await other.videos.list({ delivery: "delivered" })).length, { timeout: 30_000 })
        .toBe(keys.length);
      expect(calls.made.map(({ key }) => key).sort()).toEqual([...keys].sort());
      expect(calls.twiceAtOnce).toEqual([]);
      await expect.poll(async () => (await other.videos.list({ finished: true })).length).toBe(keys.length);
      expect(await one.videos.troubles()).toEqual([]);
    });

    it("are called again until they return, and when they failed for good, on demand", async () => {
      const { calls, boot, endAll, states } = await useShops(freshQueue);
      const { videos } = await boot();
      calls.answer = () => Promise.reject(new Error("The printer is out of paper."));
      await videos.submit(STUCK, { key: "order-1" });
      await endAll();
      await expect.poll(() => states(videos, "order-1"), { timeout: 30_000 }).toEqual([["dead", 3]]);
      expect(await videos.troubles()).toEqual([expect.stringMatching(/^1 calls of video handlers/)]);
      calls.answer = (attempt) => (attempt < 3 ? Promise.reject(new Error("Still none.")) : undefined);
      // By whoever has the task.
      const other = await boot();
      await other.videos.redeliver("order-1");
      await expect.poll(() => states(videos, "order-1"), { timeout: 30_000 }).toEqual([["delivered", 3]]);
      expect(calls.made.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 1, 2, 3]);
      expect(new Set(calls.made.map(({ id }) => id)).size).toBe(1);
      expect(calls.twiceAtOnce).toEqual([]);
      await expect.poll(() => videos.list({ finished: true })).toHaveLength(1);
    });

    it("that take their time hold up no poll, however few are made at once", async () => {
      const { emulator, calls, boot, endAll } = await useShops(freshQueue);
      const { videos } = await boot({ concurrency: 1 });
      let finish = () => {};
      const held = new Promise<void>((resolve) => {
        finish = resolve;
      });
      calls.answer = () => held;
      await videos.submit(STUCK, { key: "order-1" });
      await endAll();
      await expect.poll(() => calls.made.length, { timeout: 30_000 }).toBe(1);
      await videos.submit(STUCK, { key: "order-2" });
      emulator.journal.clear();
      await expect.poll(() => emulator.journal.list({ method: "GET" }).length).toBeGreaterThan(3);
      finish();
      await expect.poll(() => videos.list({ delivery: "delivered" })).toHaveLength(1);
    });

    it("hear of a submission of unknown outcome", async () => {
      const { emulator, boot, states } = await useShops(freshQueue);
      const { videos } = await boot();
      emulator.faults.add({ kind: "drop-after", path: "/videos", times: 1 });
      await expect(videos.submit(STUCK, { key: "order-1" })).rejects.toMatchObject({ maybeProcessed: true });
      await expect.poll(() => states(videos, "order-1"), { timeout: 30_000 }).toEqual([["delivered", 1]]);
    });

    it("whose process is killed inside them are called by another one", async () => {
      const { emulator, calls, boot, bootHanging, endAll, states } = await useShops(freshQueue);
      const hanging = await bootHanging();
      await expect.poll(() => emulator.videos.list()).toHaveLength(1);
      await endAll();
      await expect
        .poll(() => emulator.journal.list({ method: "GET", path: "/models" }).length, { timeout: 30_000 })
        .toBe(1);
      const { videos } = await boot();
      // While that process lives, nobody else calls.
      expect(await states(videos, "order-1")).toEqual([["due", 1]]);
      expect(calls.made).toEqual([]);
      await hanging.kill();
      await expect.poll(() => states(videos, "order-1"), { timeout: 30_000 }).toEqual([["delivered", 2]]);
      expect(calls.made.map(({ attempt }) => attempt)).toEqual([2]);
    });
  });
});
