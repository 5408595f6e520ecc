import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { VideoTask } from "@model-gateway/core";
import type { VideoTaskRetention } from "../videos/video-task-retention.js";
import type { VideoTaskPolling, VideoTaskStore } from "../videos/video-task-store.js";
import type { StoreContractCase } from "./video-task-store-contract.js";

const SUBMISSION = {
  family: "content" as const,
  body: { model: "some-video-model", content: [{ type: "text" as const, text: "A boat" }] },
};
const PROBLEM = { kind: "connection", message: "The connection broke." };
const LOOK_INTERVAL_MS = 20;
/** Longer than any test. */
const NEVER_MS = 600_000;

/** Stands for the module: looks at nothing. */
const QUIET: VideoTaskPolling = {
  ratePerSecond: 1_000,
  toEnd: async () => {},
  once: async () => ({ failedPolls: 0, nextPollMs: NEVER_MS }),
};

/**
 * What stores that forget finished tasks do. Waits until it has happened: give the cases a time-out.
 *
 * @param createStore makes a new, empty store that forgets so
 * @example
 * for (const { title, run } of videoTaskRetentionContract((retention) => new MyVideoTaskStore({ retention })))
 *   it(title, run);
 */
export function videoTaskRetentionContract(
  createStore: (retention: VideoTaskRetention) => VideoTaskStore | Promise<VideoTaskStore>,
): StoreContractCase[] {
  const withStore = (
    title: string,
    retention: VideoTaskRetention,
    run: (store: VideoTaskStore) => Promise<void>,
  ): StoreContractCase => ({
    title,
    async run() {
      const store = await createStore(retention);
      await store.open(QUIET);
      try {
        await store.begin({ key: "lost", submission: SUBMISSION });
        await store.lose("lost", PROBLEM);
        await store.begin({ key: "open", submission: SUBMISSION });
        await store.accept("open", task("running"));
        await run(store);
      } finally {
        await store.stop();
        await store.close();
      }
    },
  });

  return [
    withStore(
      "forgets tasks that were finished for too long, whose keys are free again, and no others",
      { finishedForMs: 1 },
      async (store) => {
        await store.begin({ key: "over", submission: SUBMISSION });
        await store.accept("over", task("succeeded"));
        await forgotten(store, "over");
        assert.deepEqual(await keysOf(store), ["lost", "open"]);
        assert.equal(await store.begin({ key: "over", submission: SUBMISSION }), true);
        assert.equal(await store.begin({ key: "lost", submission: SUBMISSION }), false);
      },
    ),
    withStore(
      "keeps tasks that were not finished for so long",
      { finishedForMs: NEVER_MS },
      async (store) => {
        await store.begin({ key: "over", submission: SUBMISSION });
        await store.accept("over", task("succeeded"));
        await store.stop();
        await store.close();
        await store.open(QUIET);
        assert.deepEqual(await keysOf(store), ["lost", "open", "over"]);
      },
    ),
    withStore(
      "forgets the tasks that finished first when there are too many",
      { maxFinished: 1 },
      async (store) => {
        let last = "";
        // One more and one more: servers of a store may see what ends at the same instant each on its own.
        for (let count = 0; count < 2 || (await store.get("over-0")) !== undefined; count += 1) {
          last = `over-${count}`;
          await store.begin({ key: last, submission: SUBMISSION });
          await store.accept(last, task("succeeded"));
          await sleep(LOOK_INTERVAL_MS);
        }
        const keys = await keysOf(store);
        assert.deepEqual([keys[0], keys[1], keys.at(-1)], ["lost", "open", last]);
      },
    ),
  ];
}

async function forgotten(store: VideoTaskStore, key: string): Promise<void> {
  while ((await store.get(key)) !== undefined) await sleep(LOOK_INTERVAL_MS);
}

async function keysOf(store: VideoTaskStore): Promise<string[]> {
  return (await store.list()).map(({ key }) => key);
}

function task(status: VideoTask["status"]): VideoTask {
  const handle = { v: 1 as const, family: "content" as const, id: "task-1" };
  return { handle, id: handle.id, family: handle.family, status, videos: [], raw: { status } };
}
