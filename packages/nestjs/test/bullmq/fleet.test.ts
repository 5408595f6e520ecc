import type { Emulator } from "@model-gateway/emulator";
import { lastValueFrom, toArray } from "rxjs";
import { describe, expect, it } from "vitest";
import { BullMqVideoTaskStore, type BullMqVideoTaskStoreOptions } from "../../src/bullmq.js";
import { ModelGatewayModule, type VideosOptions, VideosService } from "../../src/index.js";
import { bootApp } from "../boot-app.js";
import { useEmulator, VIDEO } from "../use-emulator.js";
import { describeEachBackend, type StoreOptions } from "./describe-each-backend.js";
import { startReplica } from "./start-replica.js";

const STUCK = { ...VIDEO, content: [{ type: "text" as const, text: "[[stuck]]" }] };
const POLLS = { intervalMs: 20, ratePerSecond: 200 };
const KEYS = Array.from({ length: 12 }, (_, index) => `order-${index}`);
/** An emulator, and replicas of one application that share a store. */
async function useFleet(freshQueue: StoreOptions, settings: Partial<BullMqVideoTaskStoreOptions> = {}) {
  const { emulator, connection } = await useEmulator();
  const options = { ...freshQueue(), lockDurationMs: 1_000, ...settings };
  const boot = async (videos: VideosOptions = POLLS) => {
    const store = new BullMqVideoTaskStore(options);
    const { app } = await bootApp([
      ModelGatewayModule.forRoot({ ...connection, videos: { ...videos, store } }),
    ]);
    return { app, store, videos: app.get(VideosService) };
  };
  /** In a process of its own. It uses another address of the gateway, which tells its requests apart. */
  const bootOther = (submit?: { key: string; body: typeof VIDEO }) => {
    const { backend, ...store } = options;
    return startReplica({
      gateway: { apiKey: connection.apiKey, baseURL: emulator.urls.cdn, videos: POLLS },
      store,
      onPostgres: backend !== undefined,
      ...(submit !== undefined && { submit }),
    });
  };
  return { emulator, boot, bootOther };
}

function creates(emulator: Emulator): number {
  return emulator.journal.list({ method: "POST", path: "/videos" }).length;
}

function polls(emulator: Emulator) {
  return emulator.journal.list({ method: "GET" });
}

function pollsOfOther(emulator: Emulator) {
  return emulator.journal.list({ method: "GET", base: "cdn" });
}

describe("replicas that share a store", () => {
  describeEachBackend((freshQueue) => {
    it("go on with the tasks of one that is killed while it polls, and pay for each once", async () => {
      const { emulator, boot, bootOther } = await useFleet(freshQueue);
      const { videos } = await boot();
      const other = await bootOther();
      await Promise.all(KEYS.map((key) => videos.submit(STUCK, { key })));
      // Its polls hang: it is killed in the middle of some.
      await expect.poll(() => pollsOfOther(emulator).length).toBeGreaterThan(5);
      emulator.faults.add({ kind: "delay", path: "/videos/*", delayMs: 2_000 });
      await expect
        .poll(() => pollsOfOther(emulator).filter(({ complete }) => !complete).length)
        .toBeGreaterThan(0);
      await other.kill();
      emulator.faults.clear();
      const watches = KEYS.map((key) => lastValueFrom(videos.watch$(key)));
      for (const { id } of emulator.videos.list()) await emulator.videos.succeed(id);
      for (const { status } of await Promise.all(watches)) expect(status).toBe("succeeded");
      expect(creates(emulator)).toBe(KEYS.length);
    });

    it("find a submission unknown whose submitter is killed after it paid", async () => {
      const { emulator, boot, bootOther } = await useFleet(freshQueue, { submissionLeaseMs: 1_500 });
      const { videos } = await boot();
      const orphans: string[] = [];
      videos.orphans$.subscribe(({ key }) => orphans.push(key));
      emulator.faults.add({ kind: "slow-stream", path: "/videos", times: 1, delayMs: 60_000 });
      const other = await bootOther({ key: "order-1", body: VIDEO });
      await expect.poll(() => emulator.videos.list()).toHaveLength(1);
      await other.kill();
      const records = await lastValueFrom(videos.watch$("order-1").pipe(toArray()));
      expect(records.map(({ status }) => status)).toEqual(["submitting", "unknown"]);
      expect(orphans).toEqual(["order-1"]);
      await expect(videos.submit(VIDEO, { key: "order-1" })).rejects.toMatchObject({ status: 409 });
      expect(creates(emulator)).toBe(1);

      // The operator finds it in the usage records.
      const taskId = emulator.videos.list()[0]?.id ?? "";
      await emulator.videos.succeed(taskId);
      await videos.reconcile("order-1", { taskId });
      await expect.poll(async () => (await videos.get("order-1"))?.status).toBe("succeeded");
    });

    it("list every task, also those that are on the move", async () => {
      const { boot } = await useFleet(freshQueue);
      const hasty = { intervalMs: 1, ratePerSecond: 1_000 };
      const [{ videos }] = await Promise.all([boot(hasty), boot(hasty)]);
      await Promise.all(KEYS.map((key) => videos.submit(STUCK, { key })));
      for (let look = 0; look < 40; look++)
        expect(await videos.list({ finished: false })).toHaveLength(KEYS.length);
    });

    it("keep to one rate together", async () => {
      const { emulator, boot } = await useFleet(freshQueue);
      const slow = { intervalMs: 5, ratePerSecond: 40 };
      const [first] = await Promise.all([boot(slow), boot(slow), boot(slow)]);
      await Promise.all(KEYS.map((key) => first.videos.submit(STUCK, { key })));
      await expect.poll(() => polls(emulator).length).toBeGreaterThan(20);
      const before = performance.now();
      emulator.journal.clear();
      await expect.poll(() => polls(emulator).length, { interval: 5 }).toBeGreaterThanOrEqual(60);
      const seconds = (performance.now() - before) / 1_000;
      expect(polls(emulator).length).toBeLessThanOrEqual(40 * seconds + 10);
    });

    it("all pause when the gateway asks one to slow down", async () => {
      const { emulator, boot } = await useFleet(freshQueue);
      const [first, second] = await Promise.all([boot(), boot()]);
      await Promise.all(KEYS.map((key) => first.videos.submit(STUCK, { key })));
      await expect.poll(() => polls(emulator).length).toBeGreaterThan(20);
      emulator.faults.add({ kind: "status", status: 429, path: "/videos/*" });
      await expect.poll(() => second.store.troubles()).toEqual([expect.stringContaining("slow down")]);
      expect(await first.store.troubles()).toEqual([expect.stringContaining("slow down")]);
      const refused = polls(emulator).filter(({ status }) => status === 429).length;
      // Polls that were under way, and not those of a rate of 200.
      expect(refused).toBeLessThan(KEYS.length * 2);
      emulator.faults.clear();
      emulator.journal.clear();
      await expect.poll(() => polls(emulator).length).toBeGreaterThan(20);
    });

    it("answer who watches at one what another polled, and who comes late", async () => {
      const { emulator, boot, bootOther } = await useFleet(freshQueue);
      const { store, videos } = await boot();
      await bootOther();
      await Promise.all(KEYS.map((key) => videos.submit(STUCK, { key })));
      await store.stop();
      emulator.journal.clear();
      const watches = KEYS.map((key) => lastValueFrom(videos.watch$(key)));
      for (const { id } of emulator.videos.list()) await emulator.videos.succeed(id);
      for (const { status } of await Promise.all(watches)) expect(status).toBe("succeeded");
      expect(polls(emulator)).toEqual(pollsOfOther(emulator));
      const late = await lastValueFrom(videos.watch$(KEYS[0] ?? "").pipe(toArray()));
      expect(late.map(({ status }) => status)).toEqual(["succeeded"]);
    });

    it("close at once with polls under way, and leave the tasks to the others", async () => {
      const { emulator, boot } = await useFleet(freshQueue);
      const leaving = await boot();
      await Promise.all(KEYS.map((key) => leaving.videos.submit(STUCK, { key })));
      emulator.faults.add({ kind: "delay", path: "/videos/*", delayMs: 30_000 });
      await expect.poll(() => polls(emulator).filter(({ complete }) => !complete).length).toBeGreaterThan(2);
      const answered = polls(emulator).filter(({ complete }) => complete).length;
      await leaving.app.close();
      expect(polls(emulator).filter(({ complete, status }) => complete && status === 200).length).toBe(
        answered,
      );
      emulator.faults.clear();
      const { videos } = await boot();
      for (const { id } of emulator.videos.list()) await emulator.videos.succeed(id);
      const watches = KEYS.map((key) => lastValueFrom(videos.watch$(key)));
      for (const { status } of await Promise.all(watches)) expect(status).toBe("succeeded");
    });
  });
});
