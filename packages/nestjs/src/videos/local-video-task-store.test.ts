import type { VideoTask } from "@model-gateway/core";
import { describe, expect, it } from "vitest";
import { LocalVideoTaskStore } from "./local-video-task-store.js";
import { MemoryVideoTaskStore } from "./memory-video-task-store.js";
import type { VideoTaskRecord } from "./video-task-record.js";
import type { VideoTaskPolling } from "./video-task-store.js";

const SUBMISSION = { family: "content" as const, body: { model: "some-video-model", content: [] } };
const PROBLEM = { kind: "connection", message: "The connection broke." };

function task(status: VideoTask["status"], id = "task-1"): VideoTask {
  const handle = { v: 1, family: "content", id } as const;
  return { handle, id, family: handle.family, status, videos: [], raw: { status } };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Stands for the module: says which polls run, and lets them end when the test says so. */
class Polls implements VideoTaskPolling {
  readonly ratePerSecond = 1;
  readonly started: Array<{ id: string | undefined; signal: AbortSignal; hints: number; end: () => void }> =
    [];

  async toEnd({ handle }: VideoTaskRecord, { signal, soon }: Parameters<VideoTaskPolling["toEnd"]>[1]) {
    await new Promise<void>((resolve) => {
      const poll = { id: handle?.id, signal, hints: 0, end: resolve };
      soon.subscribe(() => poll.hints++);
      this.started.push(poll);
    });
  }

  async once() {
    return { failedPolls: 0 };
  }
}

async function openStore(
  polls: VideoTaskPolling = new Polls(),
  store: LocalVideoTaskStore = new MemoryVideoTaskStore(),
) {
  await store.open(polls);
  await store.begin({ key: "a", submission: SUBMISSION });
  return store;
}

describe("writes to one key", () => {
  it("go on after one that failed", async () => {
    class FullStore extends MemoryVideoTaskStore {
      isFull = false;
      protected override async persist(): Promise<void> {
        const { isFull } = this;
        this.isFull = false;
        if (isFull) throw new Error("No space left.");
      }
    }
    const store = new FullStore();
    await openStore(undefined, store);
    store.isFull = true;
    const writes = [store.lose("a", PROBLEM), store.accept("a", task("succeeded"))];
    const outcomes = await Promise.allSettled(writes);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
    expect((await store.get("a"))?.status).toBe("succeeded");
  });

  it("come one after the other, whenever they come", async () => {
    const versions: number[] = [];
    let writing = 0;
    let most = 0;
    class SlowStore extends LocalVideoTaskStore {
      readonly durable = false;
      async close(): Promise<void> {}
      protected async load(): Promise<void> {}
      protected async persist({ version }: VideoTaskRecord): Promise<void> {
        most = Math.max(most, ++writing);
        versions.push(version);
        await turn();
        writing--;
      }
    }
    const store = await openStore(undefined, new SlowStore("SlowStore", undefined));
    const first = store.accept("a", task("queued"));
    const second = store.update("a", task("running"));
    await first;
    const third = store.update("a", { ...task("running"), progress: 50 });
    await Promise.all([second, third]);
    expect(versions).toEqual([1, 2, 3, 4]);
    expect(most).toBe(1);
  });
});

describe("a key that is submitted again after a refusal", () => {
  it("is not forgotten with the finished ones while it is being paid for", async () => {
    const store = await openStore(undefined, new MemoryVideoTaskStore({ retention: { maxFinished: 1 } }));
    await store.reject("a", PROBLEM);
    expect(await store.begin({ key: "a", submission: SUBMISSION })).toBe(true);
    await store.begin({ key: "b", submission: SUBMISSION });
    await store.accept("b", task("succeeded", "task-b"));
    expect((await store.get("a"))?.status).toBe("submitting");
    expect(await store.begin({ key: "a", submission: SUBMISSION })).toBe(false);
  });
});

describe("the polls of a task", () => {
  it("end when nobody wants them, and begin anew although the old ones take their time to end", async () => {
    const polls = new Polls();
    const store = await openStore(polls);
    await store.accept("a", task("running"));
    await store.accept("a", task("running"));
    expect(polls.started).toHaveLength(1);
    await store.cancelWatch("a");
    expect(polls.started[0]?.signal.aborted).toBe(true);
    await store.accept("a", task("running"));
    expect(polls.started.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    // The end of the old ones takes nothing from the new ones.
    polls.started[0]?.end();
    await turn();
    await store.pollSoon("a");
    expect(polls.started.map(({ hints }) => hints)).toEqual([0, 1]);
    const stopped = store.stop();
    expect(polls.started[1]?.signal.aborted).toBe(true);
    polls.started[1]?.end();
    await stopped;
  });

  it("end for a task that is replaced by another", async () => {
    const polls = new Polls();
    const store = await openStore(polls);
    await store.accept("a", task("running", "task-1"));
    await store.accept("a", task("running", "task-2"));
    expect(polls.started.map(({ id, signal }) => [id, signal.aborted])).toEqual([
      ["task-1", true],
      ["task-2", false],
    ]);
  });

  it("that fail keep neither the store from stopping nor the process from going on", async () => {
    class BrokenPolls extends Polls {
      override async toEnd(): Promise<void> {
        throw new Error("The store did not take it.");
      }
    }
    const store = await openStore(new BrokenPolls());
    await store.accept("a", task("running"));
    await store.stop();
    await turn();
    expect((await store.get("a"))?.status).toBe("running");
  });
});
