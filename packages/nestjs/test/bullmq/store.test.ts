import type { VideoTask } from "@model-gateway/core";
import { Logger } from "@nestjs/common";
import { Queue } from "bullmq";
import { filter, firstValueFrom, Subject } from "rxjs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { BullMqVideoTaskStore, type BullMqVideoTaskStoreOptions } from "../../src/bullmq.js";
import type { VideoTaskPolling, VideoTaskRecord } from "../../src/index.js";
import { describeEachBackend } from "./describe-each-backend.js";

const SUBMISSION = { family: "content" as const, body: { model: "some-model", content: [] } };
const PROBLEM = { kind: "connection", message: "The connection broke." };
const NEVER_MS = 600_000;

describe("the store of BullMQ", () => {
  describeEachBackend((freshQueue) => {
    it("gives each of many keys to one of two processes that want it at once", async () => {
      const options = freshQueue();
      const stores = [await open(options), await open(options)];
      expect(await winners(stores)).toEqual(KEYS.map(() => [false, true]));
    });

    it("gives rejected keys to one of two processes that want them again at once", async () => {
      const options = freshQueue();
      const stores = [await open(options), await open(options)] as const;
      for (let round = 0; round < 3; round++) {
        expect(await winners(stores)).toEqual(KEYS.map(() => [false, true]));
        const before = await stores[0].list({ status: "submitting" });
        expect(before).toHaveLength(KEYS.length);
        await Promise.all(KEYS.map((key) => stores[1].reject(key, PROBLEM)));
      }
      expect(await stores[0].list({ status: "rejected" })).toHaveLength(KEYS.length);
    });

    it("makes a submission unknown that nobody tells the outcome of", async () => {
      const options = freshQueue();
      const submitter = await open({ ...options, submissionLeaseMs: 100 });
      const other = await open({ ...options, submissionLeaseMs: 100 });
      const told = firstValueFrom(other.changes$.pipe(filter(({ status }) => status === "unknown")));
      await submitter.begin({ key: "a", submission: SUBMISSION });
      expect(await told).toMatchObject({ key: "a", problem: { kind: "other" } });
      expect(await submitter.list({ status: "unknown" })).toMatchObject([{ key: "a" }]);
      expect(await submitter.begin({ key: "a", submission: SUBMISSION })).toBe(false);
    });

    it("takes a task id that comes late, and polls the task", async () => {
      const polling = new Polling();
      const store = await open({ ...freshQueue(), submissionLeaseMs: 50 }, polling);
      await store.begin({ key: "a", submission: SUBMISSION });
      await expect.poll(async () => (await store.get("a"))?.status).toBe("unknown");
      const polled = polling.next("a");
      await store.accept("a", task("queued"));
      expect((await polled).handle?.id).toBe("task-1");
      expect((await store.get("a"))?.problem).toBeUndefined();
    });

    it("loses no task id that comes in the moment a submission becomes unknown", async () => {
      const options = { ...freshQueue(), submissionLeaseMs: 200 };
      const polling = new Polling();
      const submitter = await open(options, polling);
      await open(options, polling);
      await Promise.all(KEYS.map((key) => submitter.begin({ key, submission: SUBMISSION })));
      const allPolled = Promise.all(KEYS.map((key) => polling.next(key)));
      // The first to become unknown shows that the moment has come for the others.
      await firstValueFrom(submitter.changes$.pipe(filter(({ status }) => status === "unknown")));
      await Promise.all(KEYS.map((key) => submitter.accept(key, task("running"))));
      await allPolled;
      expect(await submitter.list({ status: "running" })).toHaveLength(KEYS.length);
    });

    it("tells one process what another one writes and polls, the last state at least", async () => {
      const options = freshQueue();
      const watching = await open(options, new Polling());
      const seen: VideoTaskRecord[] = [];
      const subscription = watching.changes$.subscribe((record) => seen.push(record));
      await watching.stop();
      const polling = new Polling((record, store) => store().update(record.key, task("succeeded")));
      const other = await open(options, polling);
      polling.store = other;
      await other.begin({ key: "a", submission: SUBMISSION });
      await other.accept("a", task("queued"));
      await expect.poll(() => seen.at(-1)?.status).toBe("succeeded");
      const versions = seen.map(({ version }) => version);
      expect(versions).toEqual([...new Set(versions)].sort((one, next) => one - next));
      expect(await watching.get("a")).toEqual(seen.at(-1));
      subscription.unsubscribe();
    });

    it("has a task polled soon by whichever process polls it", async () => {
      const options = freshQueue();
      const polling = new Polling();
      const polls = await open(options, polling);
      const asks = await open(options);
      await asks.stop();
      const first = polling.next("a");
      await polls.begin({ key: "a", submission: SUBMISSION });
      await polls.accept("a", task("running"));
      await first;
      const second = polling.next("a");
      await asks.pollSoon("a");
      await second;
    });

    it("forgets the oldest finished tasks, and no unknown ones", async () => {
      const options = freshQueue();
      const queue = queueOf(options);
      const store = await open({ ...options, retention: { maxFinished: 1 }, submissionLeaseMs: 20 });
      await store.begin({ key: "lost", submission: SUBMISSION });
      await expect.poll(async () => (await store.get("lost"))?.status).toBe("unknown");
      for (const key of ["first", "second"]) {
        await store.begin({ key, submission: SUBMISSION });
        await store.accept(key, task("succeeded"));
        // One after the other: two that end at the same instant on PostgreSQL do not see each other.
        const ended = async () => (await queue.getJobs()).find(({ data }) => data.key === key)?.finishedOn;
        await expect.poll(ended).toBeDefined();
      }
      await expect.poll(async () => (await store.list()).map(({ key }) => key)).toEqual(["lost", "second"]);
    });

    it("keeps the end of a task when a worker that lost its lock writes late", async () => {
      const options = freshQueue();
      const polling = new Polling((record, store) => store().update(record.key, task("succeeded")));
      const store = await open(options, polling);
      polling.store = store;
      await store.begin({ key: "a", submission: SUBMISSION });
      const late = (await jobs(options))[0];
      await store.accept("a", task("running"));
      await expect.poll(async () => (await jobs(options))[0]?.finishedOn).toBeDefined();
      const over = await store.get("a");
      await late?.updateProgress({ ...late.data, basis: 2, revision: 1, failedPolls: 0 });
      expect(await store.get("a")).toEqual(over);
    });

    it("goes on with a task whose poll failed for a reason of its own", async () => {
      const options = freshQueue();
      const polling = new Polling(() => Promise.reject(new Error("The store refused a write.")));
      const store = await open(options, polling);
      await store.begin({ key: "a", submission: SUBMISSION });
      const polled = polling.next("a");
      await store.accept("a", task("running"));
      await polled;
      await expect.poll(async () => (await jobs(options))[0]?.attemptsMade).toBe(1);
      expect(await (await jobs(options))[0]?.getState()).toBe("delayed");
    });

    it("polls nothing for as long as the gateway asked, and says so", async () => {
      const options = freshQueue();
      const polling = new Polling();
      const store = await open(options, polling);
      polling.pauseMs = NEVER_MS;
      const paused = polling.next("a");
      await store.begin({ key: "a", submission: SUBMISSION });
      await store.accept("a", task("running"));
      await paused;
      await expect.poll(() => store.troubles()).toEqual([expect.stringContaining("asked to slow down")]);
      const other = await open(options, polling);
      await other.begin({ key: "b", submission: SUBMISSION });
      await other.accept("b", task("running"));
      await other.stop();
      await store.stop();
      expect(polling.polled).toEqual(["a"]);
    });

    it("polls what was due in an earlier minute first, with more due than the rate allows", async () => {
      const options = freshQueue();
      const polling = new Polling(undefined, { ratePerSecond: 5, nextPollMs: 1 });
      const store = await open(options, polling);
      for (const key of [...KEYS, "waits for long"]) await store.begin({ key, submission: SUBMISSION });
      for (const key of KEYS) await store.accept(key, task("running"));
      const minuteAgo = Date.now() - 60_000;
      const clock = vi.spyOn(Date, "now").mockReturnValue(minuteAgo);
      onTestFinished(() => clock.mockRestore());
      await store.accept("waits for long", task("running"));
      clock.mockRestore();
      const before = polling.polled.length;
      await expect.poll(() => polling.polled.slice(before)).toContain("waits for long");
      expect(polling.polled.slice(before).indexOf("waits for long")).toBeLessThan(5);
    });

    it("polls what somebody asks for before what waits for the rate", async () => {
      const options = freshQueue();
      const polling = new Polling(undefined, { ratePerSecond: 5, nextPollMs: 1 });
      const store = await open(options, polling);
      const keys = [...KEYS, "asked"];
      for (const key of keys) {
        await store.begin({ key, submission: SUBMISSION });
        await store.accept(key, task("running"));
      }
      await expect
        .poll(async () => (await queueOf(options).getJobCounts("prioritized")).prioritized)
        .toBeGreaterThan(15);
      const before = polling.polled.length;
      await store.pollSoon("asked");
      await expect.poll(() => polling.polled.slice(before)).toContain("asked");
      // What was on its way already may come before it.
      expect(polling.polled.slice(before).indexOf("asked")).toBeLessThan(5);
    });

    it("gives one that was asked for its place once, and not for ever", async () => {
      const options = freshQueue();
      const polling = new Polling(undefined, { ratePerSecond: 20, nextPollMs: 1 });
      const store = await open(options, polling);
      for (const key of [...KEYS, "asked"]) {
        await store.begin({ key, submission: SUBMISSION });
        await store.accept(key, task("running"));
      }
      const before = polling.polled.length;
      await store.pollSoon("asked");
      await expect.poll(() => polling.polled.slice(before)).toContain("asked");
      const after = polling.polled.length;
      await expect.poll(() => polling.polled.length).toBeGreaterThan(after + 12);
      expect(polling.polled.slice(after).filter((key) => key === "asked").length).toBeLessThan(5);
    });

    it("leaves the polls to others in a process that gets no answers, and hands back what it holds", async () => {
      const options = freshQueue();
      const cutOff = new Polling(undefined, { nextPollMs: 1 });
      cutOff.probeMs = NEVER_MS;
      const alone = await open(options, cutOff);
      for (const key of KEYS) {
        await alone.begin({ key, submission: SUBMISSION });
        await alone.accept(key, task("running"));
      }
      await expect.poll(() => cutOff.polled.length).toBeGreaterThan(0);
      const well = new Polling(undefined, { nextPollMs: 1 });
      await open(options, well);
      // All but the one that is held for the next attempt, which is far away.
      await expect.poll(() => new Set(well.polled).size).toBeGreaterThanOrEqual(KEYS.length - 1);
      const attempts = cutOff.polled.length;
      const before = well.polled.length;
      await expect.poll(() => well.polled.length).toBeGreaterThan(before + 100);
      expect(cutOff.polled.length).toBe(attempts);
      await alone.stop();
      await expect.poll(() => new Set(well.polled.slice(before)).size).toBe(KEYS.length);
    });

    it("goes on at the full rate when a process gets answers again", async () => {
      const polling = new Polling(undefined, { nextPollMs: 1 });
      polling.probeMs = 20;
      const store = await open(freshQueue(), polling);
      for (const key of KEYS) {
        await store.begin({ key, submission: SUBMISSION });
        await store.accept(key, task("running"));
      }
      await expect.poll(() => polling.polled.length).toBeGreaterThan(10);
      polling.probeMs = undefined;
      const before = polling.polled.length;
      await expect.poll(() => new Set(polling.polled.slice(before)).size).toBe(KEYS.length);
    });

    it("notices that it was emptied, ends the watches of what is gone, and goes on with what comes", async () => {
      const errors = vi.spyOn(Logger.prototype, "error").mockReturnValue(undefined);
      onTestFinished(() => errors.mockRestore());
      const options = freshQueue();
      const polling = new Polling();
      const store = await open(options, polling);
      const changes = store.changes$.subscribe();
      onTestFinished(() => changes.unsubscribe());
      await store.begin({ key: "gone", submission: SUBMISSION });
      await store.accept("gone", task("running"));
      expect(await store.troubles()).toEqual([]);
      const lost = firstValueFrom(store.lost$);
      await queueOf(options).obliterate({ force: true });
      await store.begin({ key: "after", submission: SUBMISSION });
      expect((await lost).message).toMatch(/was emptied, or came back without/);
      expect(await store.troubles()).toEqual([
        expect.stringMatching(/was emptied.*1 open tasks? .* gone.*usage/),
      ]);
      expect(errors).toHaveBeenCalledWith(expect.stringContaining("gone (task-1)"));
      expect(await store.get("gone")).toBeUndefined();
      const polled = polling.next("after");
      await store.accept("after", task("running"));
      await polled;
      // The rate of polls was forgotten, too.
      expect(await queueOf(options).getGlobalRateLimit()).toMatchObject({ max: 100 });
    });

    it("keeps texts that a database refuses", async () => {
      const store = await open(freshQueue());
      const body = { model: "m", content: [{ type: "text" as const, text: "a\0b\ud83d" }] };
      await store.begin({ key: "a", submission: { family: "content", body } });
      expect((await store.get("a"))?.submission.body).toEqual({
        model: "m",
        content: [{ type: "text", text: "a\ufffdb\ufffd" }],
      });
    });

    it("refuses options that make no sense", () => {
      expect(() => new BullMqVideoTaskStore({ ...freshQueue(), concurrency: 0 })).toThrow("concurrency");
    });
  });
});

const KEYS = Array.from({ length: 20 }, (_, index) => `key-${index}`);

async function open(options: BullMqVideoTaskStoreOptions, polling = new Polling()) {
  const store = new BullMqVideoTaskStore(options);
  onTestFinished(async () => {
    await store.stop();
    await store.close();
  });
  await store.open(polling);
  return store;
}

/** For each key, what two stores were told that began with it at once. */
function winners(stores: readonly BullMqVideoTaskStore[]): Promise<boolean[][]> {
  return Promise.all(
    KEYS.map(async (key) => {
      const begun = await Promise.all(stores.map((store) => store.begin({ key, submission: SUBMISSION })));
      return begun.sort();
    }),
  );
}

/** What BullMQ holds. */
function queueOf({ connection, backend, queueName = "" }: BullMqVideoTaskStoreOptions): Queue {
  const options = typeof connection === "string" ? { url: connection } : connection;
  const queue = new Queue(queueName, { connection: options as object }, backend as never);
  queue.on("error", () => undefined);
  onTestFinished(() => queue.close());
  return queue;
}

/** Those that hold a record. */
async function jobs(options: BullMqVideoTaskStoreOptions) {
  return (await queueOf(options).getJobs()).filter(({ name }) => name === "video-task");
}

/** Stands for the module: sees which tasks are polled. */
class Polling implements VideoTaskPolling {
  readonly ratePerSecond: number;
  readonly polled: string[] = [];
  probeMs: number | undefined;
  private readonly nextPollMs: number;
  pauseMs: number | undefined;
  store: BullMqVideoTaskStore | undefined;
  private readonly handedOut = new Subject<VideoTaskRecord>();

  constructor(
    private readonly see: (
      record: VideoTaskRecord,
      store: () => BullMqVideoTaskStore,
    ) => Promise<void> = async () => undefined,
    { ratePerSecond = 1_000, nextPollMs = NEVER_MS } = {},
  ) {
    this.ratePerSecond = ratePerSecond;
    this.nextPollMs = nextPollMs;
  }

  next(key: string): Promise<VideoTaskRecord> {
    return firstValueFrom(this.handedOut.pipe(filter((record) => record.key === key)));
  }

  async toEnd(): Promise<void> {
    throw new Error("Stores of several processes schedule polls themselves.");
  }

  async once(record: VideoTaskRecord) {
    this.polled.push(record.key);
    this.handedOut.next(record);
    await this.see(record, () => {
      if (this.store === undefined) throw new Error("There is no store yet.");
      return this.store;
    });
    const over = (await this.store?.get(record.key))?.task?.status === "succeeded";
    return {
      failedPolls: 0,
      ...(!over && { nextPollMs: this.nextPollMs }),
      ...(this.probeMs !== undefined && { probeMs: this.probeMs }),
      ...(this.pauseMs !== undefined && { pauseMs: this.pauseMs }),
    };
  }
}

function task(status: VideoTask["status"]): VideoTask {
  const handle = { v: 1 as const, family: "content" as const, id: "task-1" };
  return { handle, id: handle.id, family: handle.family, status, videos: [], raw: { status } };
}
