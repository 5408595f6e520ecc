import { describe, expect, it, onTestFinished } from "vitest";
import { backends } from "../../src/bullmq/backends.js";
import { VideoTaskQueue } from "../../src/bullmq/video-task-queue.js";
import { VideoTaskTurns } from "../../src/bullmq/video-task-turns.js";
import { BullMqVideoTaskStore } from "../../src/bullmq.js";
import { ModelGatewayModule, VideosService } from "../../src/index.js";
import { bootApp } from "../boot-app.js";
import { filmOf, useCappedGateway } from "../capped-gateway.js";
import { describeEachBackend, type StoreOptions } from "./describe-each-backend.js";

const NEVER_MS = 600_000;

/** A submission that waits, and processes that could take it. */
async function useLine(freshQueue: StoreOptions) {
  const gateway = await useCappedGateway();
  const { queueName: name, ...options } = freshQueue();
  const limits = { maxOpen: 2 };
  const store = new BullMqVideoTaskStore({ ...options, queueName: name });
  const { app } = await bootApp([
    ModelGatewayModule.forRoot({ ...gateway.connection, videos: { ...limits, intervalMs: 20, store } }),
  ]);
  const videos = app.get(VideosService);
  for (const key of ["open-1", "open-2", "waits"]) await videos.submit(filmOf(key), { key, tenant: "a" });
  await expect.poll(() => gateway.open()).toBe(2);
  await app.close();
  const { connection, backend = backends.redis, prefix } = options;
  const settings = { name, connection, backend, prefix, submissionLeaseMs: NEVER_MS };
  const queue = await VideoTaskQueue.connect(settings, () => undefined);
  onTestFinished(() => queue.close());
  const process = (leaseMs = NEVER_MS) => new VideoTaskTurns(queue, leaseMs);
  const job = await queue.require("waits");
  const keys = async (turns: VideoTaskTurns) => (await turns.line()).waiting.map(({ key }) => key);
  return { queue, process, job, keys };
}

describe("places of open tasks", () => {
  describeEachBackend((freshQueue) => {
    it("are held by a process that died while it took one, and freed after its lease", async () => {
      const { process, job, keys } = await useLine(freshQueue);
      const dies = process().claim(job, { maxOpen: 3 }, () => Promise.reject(new Error("It died.")));
      await expect(dies).rejects.toThrow("It died.");
      expect((await process().line()).open).toEqual(["a", "a", "a"]);
      expect(await keys(process())).toEqual([]);
      expect(await process().claim(job, { maxOpen: 9 }, async () => "taken")).toBeUndefined();
      const late = process(-1);
      await late.line();
      expect(await keys(late)).toEqual(["waits"]);
      expect((await process().line()).open).toEqual(["a", "a"]);
      expect(await process().claim(job, { maxOpen: 3 }, async () => "taken")).toBe("taken");
    });

    it("are given back by a process that stood still while it took one", async () => {
      const { process, job, keys } = await useLine(freshQueue);
      // Longer than its lease, however fast this machine is.
      expect(await process(0).claim(job, { maxOpen: 3 }, async () => "taken")).toBeUndefined();
      expect(await keys(process())).toEqual(["waits"]);
    });

    it("are left alone by whoever had one at an earlier time", async () => {
      const { process, job, keys, queue } = await useLine(freshQueue);
      expect(await process().claim(job, { maxOpen: 3 }, async () => "taken")).toBe("taken");
      const [turn = ""] = (await queue.turnIds()).filter((id) => id.includes(job.id ?? ""));
      await queue.removeTurn(turn, "not its token");
      expect(await keys(process())).toEqual([]);
      await queue.removeTurn(turn);
      expect(await keys(process())).toEqual(["waits"]);
    });

    it("are one for each task, also where two processes gave it one, or one saw the task before its place", async () => {
      const { process, queue } = await useLine(freshQueue);
      const [turn = "", other = ""] = await queue.turnIds();
      await queue.addTurn(`${turn}again`, "token");
      expect(await queue.turnIds()).toHaveLength(3);
      expect((await process().line()).open).toEqual(["a", "a"]);
      expect(await queue.turnIds()).toHaveLength(2);
      expect(await queue.turnIds()).toContain(other);
      const tasksOnly = new Set([...(await queue.openIds())].filter((id) => !id.startsWith("turn-")));
      const stale = Object.assign(Object.create(queue), { openIds: async () => tasksOnly });
      const seen = new VideoTaskTurns(stale as VideoTaskQueue, NEVER_MS);
      expect((await seen.line()).open).toEqual(["a", "a"]);
      expect(await queue.turnIds()).toHaveLength(2);
    });

    it("are taken for open tasks that have none, as those of a time without a queue", async () => {
      const { process, queue, job } = await useLine(freshQueue);
      for (const turn of await queue.turnIds()) await queue.removeTurn(turn);
      const turns = process();
      expect((await turns.line()).open).toEqual(["a", "a"]);
      expect(await queue.turnIds()).toHaveLength(2);
      expect(await turns.claim(job, { maxOpen: 2 }, async () => "taken")).toBeUndefined();
    });
  });
});
