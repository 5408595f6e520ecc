import assert from "node:assert/strict";
import type { VideoTask } from "@model-gateway/core";
import { firstValueFrom, Subject, take, toArray } from "rxjs";
import type { PollVideoTask, VideoTaskRecord, VideoTaskStore } from "../src/index.js";

/** One thing that every store does; `run` rejects when this one does not. Works with any test runner. */
export interface StoreContractCase {
  title: string;
  run(): Promise<void>;
}

const SUBMISSION = {
  family: "content" as const,
  body: { model: "some-video-model", content: [{ type: "text" as const, text: "A boat" }] },
};
const PROBLEM = { kind: "connection", message: "The connection broke." };
const nothing: PollVideoTask = async () => {};

/**
 * What the module relies on, for each store it is to run on.
 *
 * @param createStore makes a new, empty store
 */
export function videoTaskStoreContract(createStore: () => VideoTaskStore): StoreContractCase[] {
  const withStore = (
    title: string,
    run: (store: VideoTaskStore) => Promise<void>,
    poll: PollVideoTask | false = nothing,
  ): StoreContractCase => ({
    title,
    async run() {
      const store = createStore();
      if (poll) await store.open(poll);
      try {
        await run(store);
      } finally {
        await store.stop();
        await store.close();
      }
    },
  });

  return [
    withStore("keeps an intent before anything is paid", async (store) => {
      assert.equal(await store.begin({ key: "a", submission: SUBMISSION }), true);
      const record = await store.get("a");
      assert.equal(record?.status, "submitting");
      assert.deepEqual(record?.submission, SUBMISSION);
      assert.equal(record?.handle, undefined);
      assert.ok(record.createdAt > 0);
    }),
    withStore("takes a key once", async (store) => {
      await store.begin({ key: "a", submission: SUBMISSION });
      assert.equal(await store.begin({ key: "a", submission: SUBMISSION }), false);
      await store.accept("a", task("queued"));
      assert.equal(await store.begin({ key: "a", submission: SUBMISSION }), false);
      assert.equal((await store.get("a"))?.status, "queued");
    }),
    withStore("gives a key to one of two that want it at once", async (store) => {
      const begun = await Promise.all([1, 2].map(() => store.begin({ key: "a", submission: SUBMISSION })));
      assert.deepEqual(begun.sort(), [false, true]);
    }),
    withStore("frees the key of a rejected submission", async (store) => {
      await store.begin({ key: "a", submission: SUBMISSION });
      await store.reject("a", PROBLEM);
      const rejected = await store.get("a");
      assert.equal(rejected?.status, "rejected");
      assert.deepEqual(rejected?.problem, PROBLEM);
      assert.equal(await store.begin({ key: "a", submission: SUBMISSION }), true);
      const begun = await store.get("a");
      assert.equal(begun?.status, "submitting");
      assert.equal(begun?.problem, undefined);
      assert.ok(begun.version > rejected.version);
    }),
    withStore("does not free the key of a lost submission", async (store) => {
      await store.begin({ key: "a", submission: SUBMISSION });
      await store.lose("a", PROBLEM);
      assert.equal((await store.get("a"))?.status, "unknown");
      assert.equal(await store.begin({ key: "a", submission: SUBMISSION }), false);
    }),
    withStore("keeps the handle and the last poll", async (store) => {
      await store.begin({ key: "a", submission: SUBMISSION });
      await store.accept("a", task("queued"));
      await store.update("a", task("running", 40));
      const record = await store.get("a");
      assert.equal(record?.status, "running");
      assert.deepEqual(record?.handle, task("running").handle);
      assert.deepEqual(record?.task, task("running", 40));
      await store.lose("a", PROBLEM);
      assert.deepEqual((await store.get("a"))?.handle, task("running").handle);
    }),
    withStore("finds a lost task again", async (store) => {
      await store.begin({ key: "a", submission: SUBMISSION });
      await store.lose("a", PROBLEM);
      await store.accept("a", task("running"));
      const record = await store.get("a");
      assert.equal(record?.status, "running");
      assert.equal(record?.problem, undefined);
    }),
    withStore("changes nothing that is over", async (store) => {
      await store.begin({ key: "a", submission: SUBMISSION });
      await store.accept("a", task("queued"));
      await store.update("a", task("succeeded"));
      await store.update("a", task("running"));
      await store.lose("a", PROBLEM);
      assert.equal((await store.get("a"))?.status, "succeeded");
    }),
    withStore("refuses writes to a key that is not there", async (store) => {
      await assert.rejects(store.accept("nobody", task("queued")));
      await assert.rejects(store.update("nobody", task("queued")));
      await assert.rejects(store.reject("nobody", PROBLEM));
      await assert.rejects(store.lose("nobody", PROBLEM));
      assert.equal(await store.get("nobody"), undefined);
    }),
    withStore("lists in the order of submission, by status on demand", async (store) => {
      for (const key of ["a", "b", "c"]) await store.begin({ key, submission: SUBMISSION });
      await store.accept("b", task("queued"));
      assert.deepEqual(keys(await store.list()), ["a", "b", "c"]);
      assert.deepEqual(keys(await store.list({ status: "submitting" })), ["a", "c"]);
      assert.deepEqual(keys(await store.list({ status: "failed" })), []);
    }),
    withStore("tells of every change after it was written, with growing versions", async (store) => {
      const told = firstValueFrom(store.changes$.pipe(take(4), toArray()));
      await store.begin({ key: "a", submission: SUBMISSION });
      await store.accept("a", task("queued"));
      await store.update("a", task("running"));
      await store.update("a", task("succeeded"));
      const changes = await told;
      assert.deepEqual(
        changes.map(({ status }) => status),
        ["submitting", "queued", "running", "succeeded"],
      );
      const versions = changes.map(({ version }) => version);
      assert.deepEqual(
        versions,
        [...new Set(versions)].sort((one, other) => one - other),
      );
      assert.deepEqual(await store.get("a"), changes.at(-1));
    }),
    handsOutWhatIsAccepted(createStore),
    handsOutAgainAfterAStop(createStore),
  ];
}

function handsOutWhatIsAccepted(createStore: () => VideoTaskStore): StoreContractCase {
  return {
    title: "hands an accepted task out once, and one that is over never",
    async run() {
      const handedOut = new Subject<VideoTaskRecord>();
      const all: string[] = [];
      handedOut.subscribe(({ key }) => all.push(key));
      const store = createStore();
      await store.open(async (record, signal) => {
        handedOut.next(record);
        await aborted(signal);
      });
      const first = firstValueFrom(handedOut);
      await store.begin({ key: "a", submission: SUBMISSION });
      await store.accept("a", task("queued"));
      assert.deepEqual((await first).handle, task("queued").handle);
      await store.update("a", task("running"));
      await store.begin({ key: "over", submission: SUBMISSION });
      await store.accept("over", task("succeeded"));
      const last = firstValueFrom(handedOut);
      await store.begin({ key: "b", submission: SUBMISSION });
      await store.accept("b", task("queued"));
      await last;
      assert.deepEqual(all, ["a", "b"]);
      await store.stop();
      await store.close();
    },
  };
}

function handsOutAgainAfterAStop(createStore: () => VideoTaskStore): StoreContractCase {
  return {
    title: "aborts its polls on stop, still takes writes, and hands out what is open when opened again",
    async run() {
      const store = createStore();
      const polls: AbortSignal[] = [];
      const started = new Subject<void>();
      await store.open(async (_record, signal) => {
        polls.push(signal);
        started.next();
        await aborted(signal);
      });
      const first = firstValueFrom(started);
      await store.begin({ key: "a", submission: SUBMISSION });
      await store.accept("a", task("running"));
      await first;
      await store.begin({ key: "b", submission: SUBMISSION });
      await store.stop();
      assert.deepEqual(
        polls.map(({ aborted: isAborted }) => isAborted),
        [true],
      );
      await store.accept("b", task("queued"));
      assert.equal(polls.length, 1);
      await store.close();

      const found = new Subject<string>();
      const both = firstValueFrom(found.pipe(take(2), toArray()));
      await store.open(async ({ key }) => found.next(key));
      assert.deepEqual((await both).sort(), ["a", "b"]);
      await store.stop();
      await store.close();
    },
  };
}

function task(status: VideoTask["status"], progress?: number): VideoTask {
  const handle = { v: 1 as const, family: "content" as const, id: "task-1" };
  const shown = progress === undefined ? {} : { progress };
  return { handle, id: handle.id, family: handle.family, status, videos: [], ...shown, raw: { status } };
}

function keys(records: VideoTaskRecord[]): string[] {
  return records.map(({ key }) => key);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
