import { describe, expect, it } from "vitest";
import { BullMqVideoTaskStore, type BullMqVideoTaskStoreOptions } from "../../src/bullmq.js";
import { ModelGatewayModule, VideosService, type VideoTaskRecord } from "../../src/index.js";
import { bootApp } from "../boot-app.js";
import { filmOf, useCappedGateway } from "../capped-gateway.js";
import { describeEachBackend } from "./describe-each-backend.js";
import { startReplica } from "./start-replica.js";

type Gateway = Awaited<ReturnType<typeof useCappedGateway>>;

const VIDEOS = { maxOpen: 8, intervalMs: 20, ratePerSecond: 500, backoff: { firstMs: 5 } };
const KEYS = Array.from({ length: 64 }, (_, index) => `${index % 4 === 0 ? "b" : "a"}-${index}`);

async function boot(gateway: Gateway, store: BullMqVideoTaskStoreOptions, videos = VIDEOS) {
  const { app } = await bootApp([
    ModelGatewayModule.forRoot({
      ...gateway.connection,
      videos: { ...videos, store: new BullMqVideoTaskStore(store) },
    }),
  ]);
  return { app, videos: app.get(VideosService) };
}

const submitAll = (videos: VideosService) =>
  Promise.all(KEYS.map((key) => videos.submit(filmOf(key), { key, tenant: key.slice(0, 1) })));

describe("submissions under a cap, of several replicas", () => {
  describeEachBackend((storeOptions) => {
    it("are never more at the gateway than all replicas together may have, and all done in the end", async () => {
      const gateway = await useCappedGateway({ pollsToEnd: 2 });
      const store = storeOptions();
      const replicas = await Promise.all([1, 2, 3].map(() => boot(gateway, store)));
      const [one] = replicas;
      await submitAll(one?.videos as VideosService);
      await expect.poll(() => gateway.ended(), { timeout: 50_000 }).toBe(KEYS.length);
      expect(gateway.mostOpen()).toBeLessThanOrEqual(8);
      expect(gateway.creates.map(({ prompt }) => prompt).sort()).toEqual([...KEYS].sort());
      await expect.poll(() => one?.videos.list({ finished: false }), { timeout: 20_000 }).toEqual([]);
    });

    it("take turns by tenant, whichever replica sends them", async () => {
      const gateway = await useCappedGateway();
      const store = storeOptions();
      const one = { ...VIDEOS, maxOpen: 1 };
      const [first, second] = await Promise.all([boot(gateway, store, one), boot(gateway, store, one)]);
      await first.videos.submit(filmOf("a0"), { tenant: "a" });
      await expect.poll(() => gateway.open()).toBe(1);
      for (const prompt of ["a1", "a2", "b1", "b2"])
        await second.videos.submit(filmOf(prompt), { tenant: prompt.slice(0, 1) });
      for (let count = 2; count <= 5; count++) {
        gateway.end();
        await expect.poll(() => gateway.creates.length, { timeout: 30_000 }).toBe(count);
      }
      expect(gateway.creates.map(({ prompt }) => prompt)).toEqual(["a0", "b1", "a1", "b2", "a2"]);
      expect(gateway.mostOpen()).toBe(1);
    });

    it("go on when a replica is killed that sends them, each once", async () => {
      const gateway = await useCappedGateway();
      const store = { ...storeOptions(), submissionLeaseMs: 2_000, lockDurationMs: 1_000 };
      const { backend, ...options } = store;
      const replica = await startReplica({
        gateway: { ...gateway.connection, videos: VIDEOS },
        store: options,
        onPostgres: backend !== undefined,
      });
      // Only submits, and has another cap than none.
      const { videos, app } = await boot(gateway, store, { ...VIDEOS, maxOpen: 1 });
      await submitAll(videos);
      await expect.poll(() => gateway.taken().length, { timeout: 30_000 }).toBe(8);
      await app.close();
      await replica.kill();
      const next = await boot(gateway, store);
      gateway.endAfter(2);
      const find = ({ key }: VideoTaskRecord) => {
        const taskId = gateway.idOf(key);
        return next.videos.reconcile(key, taskId === undefined ? { notPaid: true } : { taskId });
      };
      const freed = async () => (await next.videos.list({ status: "rejected" })).map(({ key }) => key);
      next.videos.orphans$.subscribe((record) => void find(record).catch(() => undefined));
      await expect
        .poll(async () => gateway.ended() + (await freed()).length, { timeout: 50_000 })
        .toBe(KEYS.length);
      expect(gateway.mostOpen()).toBeLessThanOrEqual(8);
      const created = gateway.creates.map(({ prompt }) => prompt);
      expect([...created, ...(await freed())].sort()).toEqual([...KEYS].sort());
    });
  });
});
