import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { VideoTask } from "@model-gateway/core";
import { Logger } from "@nestjs/common";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { compileChild, startChild } from "../../../test/child.js";
import { videoTaskRetentionContract } from "../../testing/video-task-retention-contract.js";
import { videoTaskStoreContract } from "../../testing/video-task-store-contract.js";
import type { VideoTaskRetention } from "../video-task-retention.js";
import type { VideoTaskPolling } from "../video-task-store.js";
import { JournalFile } from "./journal-file.js";
import { JournalVideoTaskStore, type JournalVideoTaskStoreOptions } from "./journal-video-task-store.js";

const SUBMISSION = { family: "content" as const, body: { model: "some-video-model", content: [] } };
const PROBLEM = { kind: "connection", message: "The connection broke." };

const QUIET: VideoTaskPolling = {
  ratePerSecond: 1,
  toEnd: async () => {},
  once: async () => ({ failedPolls: 0 }),
};

function task(status: VideoTask["status"]): VideoTask {
  const handle = { v: 1, family: "content", id: "task-1" } as const;
  return { handle, id: handle.id, family: handle.family, status, videos: [], raw: { status } };
}

describe("the journal store, as every store", () => {
  let parent: string;
  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), "journal-contract-"));
  });
  afterAll(() => rm(parent, { recursive: true }));
  let count = 0;
  const createStore = () => new JournalVideoTaskStore({ directory: join(parent, String(count++)) });
  for (const { title, run } of videoTaskStoreContract(createStore)) it(title, run);
  const createForgetful = (retention: VideoTaskRetention) =>
    new JournalVideoTaskStore({ directory: join(parent, String(count++)), retention });
  for (const { title, run } of videoTaskRetentionContract(createForgetful)) it(title, run);
});

async function useStores() {
  const parent = await mkdtemp(join(tmpdir(), "journal-store-"));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  const directory = join(parent, "deep", "folder");
  const open = async (options: JournalVideoTaskStoreOptions = {}) => {
    const store = new JournalVideoTaskStore({ directory, lockWaitMs: 0, ...options });
    await store.open(QUIET);
    const close = async () => {
      await store.stop();
      await store.close();
    };
    onTestFinished(close);
    return { store, close };
  };
  const files = async () => (await readdir(directory).catch(() => [])).sort();
  return { directory, open, files };
}

describe("a journal store", () => {
  it("is durable", () => {
    expect(new JournalVideoTaskStore().durable).toBe(true);
  });

  it("leaves no trace without a task, so that several processes may run", async () => {
    const { open, files } = await useStores();
    const [one, other] = [await open(), await open()];
    expect(await one.store.list()).toEqual([]);
    await one.close();
    await other.close();
    expect(await files()).toEqual([]);
  });

  it("makes files that only its owner may read and that git leaves out", async () => {
    const { open, directory, files } = await useStores();
    const { store, close } = await open();
    await store.begin({ key: "a", submission: SUBMISSION });
    expect(await files()).toEqual([
      ".gitignore",
      "video-tasks.journal",
      "video-tasks.lock.1",
      "video-tasks.reserve",
    ]);
    expect(await readFile(join(directory, ".gitignore"), "utf8")).toBe("*\n");
    if (process.platform !== "win32") {
      const modes = await Promise.all(
        ["", "video-tasks.journal", "video-tasks.lock.1", "video-tasks.reserve"].map(
          async (name) => (await stat(join(directory, name))).mode & 0o777,
        ),
      );
      expect(modes).toEqual([0o700, 0o600, 0o600, 0o600]);
    }
    await close();
    expect(await files()).toEqual([".gitignore", "video-tasks.journal", "video-tasks.reserve"]);
  });

  it("gives another store what it wrote, in the order of submission", async () => {
    const { open } = await useStores();
    const { store, close } = await open();
    for (const key of ["a", "b", "c"]) await store.begin({ key, submission: SUBMISSION });
    await store.accept("b", task("running"));
    await store.reject("a", PROBLEM);
    await store.begin({ key: "a", submission: SUBMISSION });
    await store.accept("a", task("queued"));
    await store.lose("c", PROBLEM);
    await store.update("b", task("succeeded"));
    const written = await store.list();
    expect(written.map(({ key, status }) => [key, status])).toEqual([
      ["b", "succeeded"],
      ["c", "unknown"],
      ["a", "queued"],
    ]);
    await close();
    const reopened = await open();
    expect(await reopened.store.list()).toEqual(written);
  });

  it("turns a submission that a dead process left behind into unknown, and keeps its key taken", async () => {
    const { open } = await useStores();
    const first = await open();
    await first.store.begin({ key: "a", submission: SUBMISSION });
    await first.close();
    const { store } = await open();
    expect(await store.get("a")).toMatchObject({ status: "unknown", problem: { kind: "other" } });
    expect(await store.begin({ key: "a", submission: SUBMISSION })).toBe(false);
  });

  it("refuses a second store on the same files until the first is closed", async () => {
    const { open } = await useStores();
    const first = await open();
    await first.store.begin({ key: "a", submission: SUBMISSION });
    await expect(open()).rejects.toThrow(/kept by this process itself/);
    await first.close();
    expect(await (await open()).store.list()).toHaveLength(1);
  });

  it("refuses the first task when another store has begun to keep tasks there", async () => {
    const { open } = await useStores();
    const [first, second] = [await open(), await open()];
    await first.store.begin({ key: "a", submission: SUBMISSION });
    await expect(second.store.begin({ key: "a", submission: SUBMISSION })).rejects.toThrow(/kept by/);
    await first.store.accept("a", task("running"));
    await first.close();
    // The second finds what the first has left.
    expect(await second.store.begin({ key: "a", submission: SUBMISSION })).toBe(false);
    expect(await second.store.begin({ key: "b", submission: SUBMISSION })).toBe(true);
    expect((await second.store.list()).map(({ key }) => key)).toEqual(["a", "b"]);
  });

  it("takes a key once when many want it of a store that has to read what another has left", async () => {
    const { open } = await useStores();
    const [first, second] = [await open(), await open()];
    await first.store.begin({ key: "taken", submission: SUBMISSION });
    await first.store.accept("taken", task("running"));
    await first.close();
    const keys = ["taken", "free", "taken", "free", "taken"];
    const begun = await Promise.all(keys.map((key) => second.store.begin({ key, submission: SUBMISSION })));
    expect(begun).toEqual([false, true, false, false, false]);
  });

  it("keeps stores with different names apart, whatever the names", async () => {
    const { open, files } = await useStores();
    const names = ["eu", "../eu", "lock", "EU/*", "default"];
    for (const name of names) {
      const { store } = await open({ name });
      await store.begin({ key: "a", submission: SUBMISSION });
    }
    expect((await files()).filter((file) => file.endsWith(".journal"))).toEqual([
      "video-tasks.%2E%2E%2Feu.journal",
      "video-tasks.EU%2F%2A.journal",
      "video-tasks.default.journal",
      "video-tasks.eu.journal",
      "video-tasks.lock.journal",
    ]);
  });

  it("can be opened again, and reads what another did meanwhile", async () => {
    const { open } = await useStores();
    const { store, close } = await open();
    await store.begin({ key: "a", submission: SUBMISSION });
    await close();
    const other = await open();
    await other.store.begin({ key: "b", submission: SUBMISSION });
    await other.close();
    await store.open(QUIET);
    expect((await store.list()).map(({ key }) => key)).toEqual(["a", "b"]);
    await close();
  });

  it("takes no task after it was stopped, rather than making files that nobody closes", async () => {
    const { open, files } = await useStores();
    const { store, close } = await open();
    await store.stop();
    await expect(store.begin({ key: "a", submission: SUBMISSION })).rejects.toThrow(/not open/);
    await close();
    expect(await files()).toEqual([]);
  });

  it("says that nothing was sent when its folder cannot be made", async () => {
    const { directory, open } = await useStores();
    await mkdir(join(directory, ".."));
    await writeFile(directory, "a file where the folder should be");
    const opened = open();
    await expect(opened).rejects.toThrow(/cannot be used: .*Nothing was sent.*option directory/);
    await expect(opened).rejects.toMatchObject({ kind: "configuration" });
  });

  it("warns of that where it may be of no matter, and works as soon as it can", async () => {
    const { directory, open } = await useStores();
    await mkdir(join(directory, ".."));
    await writeFile(directory, "a file where the folder should be");
    const warn = vi.spyOn(Logger.prototype, "warn").mockReturnValue();
    onTestFinished(() => warn.mockRestore());
    const { store } = await open({ whenUnwritable: "warn" });
    const sentence = /^No video can be submitted: .*cannot be used: .*option directory/;
    expect(warn.mock.calls).toEqual([[expect.stringMatching(sentence)]]);
    expect(await store.troubles()).toEqual([expect.stringMatching(sentence)]);
    const begin = () => store.begin({ key: "a", submission: SUBMISSION });
    await expect(begin()).rejects.toThrow(/Nothing was sent/);
    await rm(directory);
    expect(await store.troubles()).toEqual([]);
    expect(await begin()).toBe(true);
  });
});

describe("a journal store that cannot be opened", () => {
  it("lets go of the lock, so that it can be opened once the file is mended", async () => {
    const { directory, open } = await useStores();
    const { store, close } = await open();
    await store.begin({ key: "a", submission: SUBMISSION });
    await close();
    const path = join(directory, "video-tasks.journal");
    const content = await readFile(path);
    await writeFile(path, "Dear diary,\n");
    await expect(store.open(QUIET)).rejects.toThrow(/is no journal/);
    await writeFile(path, content);
    await store.open(QUIET);
    expect(await store.list()).toHaveLength(1);
  });

  it("lets go of the lock also when what it holds is no task", async () => {
    const { directory, open } = await useStores();
    const { store, close } = await open();
    await store.begin({ key: "a", submission: SUBMISSION });
    await close();
    const options = {
      path: join(directory, "video-tasks.journal"),
      reservePath: join(directory, "video-tasks.reserve"),
      isOwner: async () => true,
      liveEntries: () => [],
      warn: () => {},
    };
    const journal = await JournalFile.open(options, () => {});
    await journal.append("no JSON", "progress");
    await journal.close();
    for (let time = 1; time <= 2; time++) {
      await expect(store.open(QUIET)).rejects.toThrow(/cannot be used: SyntaxError/);
    }
  });
});

describe("a journal store that is opened again", () => {
  it("has forgotten what its files do not hold any more", async () => {
    const { directory, open } = await useStores();
    const { store, close } = await open();
    await store.begin({ key: "a", submission: SUBMISSION });
    await close();
    await rm(directory, { recursive: true });
    await store.open(QUIET);
    expect(await store.list()).toEqual([]);
  });
});

describe("a journal store that is closed while it makes its files", () => {
  it("leaves no lock behind", async () => {
    const { open, files } = await useStores();
    const { store, close } = await open();
    const begun = store.begin({ key: "a", submission: SUBMISSION }).catch(() => false);
    await close();
    await begun;
    expect((await files()).filter((name) => name.includes("lock"))).toEqual([]);
  });
});

describe("a journal store on a disk that fails", () => {
  it("does not hide that it takes nothing any more", async () => {
    const { open, directory } = await useStores();
    const { store } = await open();
    await store.begin({ key: "a", submission: SUBMISSION });
    await store.accept("a", task("queued"));
    await rm(join(directory, "video-tasks.journal"));
    await expect(store.update("a", task("running"))).rejects.toMatchObject({
      purpose: "progress",
      isTemporary: false,
    });
  });
});

describe("a journal store whose process stands still", () => {
  let program: Awaited<ReturnType<typeof compileChild>>;
  beforeAll(async () => {
    program = await compileChild("frozen-owner");
  });
  afterAll(() => program.remove());

  /** As if the process ran in another container: its lock names another host. */
  async function makeForeign(lock: string): Promise<void> {
    const owner = JSON.parse(await readFile(lock, "utf8"));
    await writeFile(lock, JSON.stringify({ ...owner, host: "elsewhere", leaseMs: 1_000 }));
  }

  it("loses its tasks to one in another container, and takes none when it goes on", async () => {
    const { open, directory } = await useStores();
    const child = startChild(program.file, { directory });
    expect(await child.next()).toEqual({ begun: true });
    child.process.kill("SIGSTOP");
    await makeForeign(join(directory, "video-tasks.lock.1"));
    const file = () => stat(join(directory, "video-tasks.journal"));
    const { ino: theirs } = await file();
    const { store } = await open({ lockLeaseMs: 1_000 });
    expect((await file()).ino).not.toBe(theirs);
    expect((await store.list()).map(({ key }) => key)).toEqual(["first"]);
    expect(await store.begin({ key: "second", submission: SUBMISSION })).toBe(true);
    child.send({ key: "late" });
    child.process.kill("SIGCONT");
    expect(await child.next()).toEqual({ error: expect.stringMatching(/was removed.*Nothing was sent/) });
    child.send({});
    expect(await child.next()).toEqual({
      troubles: [expect.stringMatching(/another process may keep tasks/)],
    });
    expect(await store.begin({ key: "third", submission: SUBMISSION })).toBe(true);
    await store.stop();
    await store.close();
    const reopened = await open();
    expect((await reopened.store.list()).map(({ key }) => key)).toEqual(["first", "second", "third"]);
  });

  it("keeps its tasks from one in another container while it runs", async () => {
    const { open, directory } = await useStores();
    const child = startChild(program.file, { directory });
    expect(await child.next()).toEqual({ begun: true });
    await makeForeign(join(directory, "video-tasks.lock.1"));
    await expect(open()).rejects.toThrow(/kept by process \d+ on host elsewhere/);
    child.send({ key: "second" });
    expect(await child.next()).toEqual({ begun: true });
  });

  it("refuses a lease that no sign of life could keep", () => {
    expect(() => new JournalVideoTaskStore({ lockLeaseMs: 10 })).toThrow(/lockLeaseMs .* must be a number/);
  });
});

describe("a journal store whose last record is damaged", () => {
  /** A store with one paid task, closed, and its journal to damage. */
  async function usePaidTask() {
    const stores = await useStores();
    const path = join(stores.directory, "video-tasks.journal");
    const { store, close } = await stores.open();
    await store.begin({ key: "order-7", submission: SUBMISSION });
    const start = (await stat(path)).size;
    await store.accept("order-7", task("queued"));
    await close();
    const damage = async (change: (bytes: Buffer) => void) => {
      const content = await readFile(path);
      change(content.subarray(start));
      await writeFile(path, content);
    };
    return { ...stores, damage };
  }

  it("goes on with the task when one bit is wrong, and says so", async () => {
    const { open, damage } = await usePaidTask();
    await damage((record) => record.writeUInt8(record.readUInt8(100) ^ 4, 100));
    const { store, close } = await open();
    expect(await store.get("order-7")).toMatchObject({ status: "queued", handle: { id: "task-1" } });
    expect(await store.troubles()).toEqual([
      expect.stringMatching(/bit that was wrong.*\.cut-1.*Check the disk/),
    ]);
    await close();
    expect(await (await open()).store.troubles()).toEqual([]);
  });

  it("tells the task id and what to do when more is wrong, at each start until it is done", async () => {
    const { open, damage } = await usePaidTask();
    await damage((record) => record.write("########"));
    const told = [
      expect.stringMatching(
        /\.cut-1 keeps \d+ bytes .* of video "order-7"\. Its task id reads "task-1".* call videos\.reconcile\("order-7", \{ taskId: "task-1" \}\)/,
      ),
    ];
    const { store, close } = await open();
    expect(await store.get("order-7")).toMatchObject({ status: "unknown" });
    expect(await store.troubles()).toEqual([expect.stringMatching(/are not what was written/), ...told]);
    await close();
    const again = await open();
    expect(await again.store.troubles()).toEqual(told);
    await again.store.accept("order-7", task("running"));
    expect(await again.store.troubles()).toEqual([]);
  });

  it("tells both ids when the copies of it differ", async () => {
    const { open, damage } = await usePaidTask();
    await damage((record) => {
      record.write("########");
      record.write("tusk", record.indexOf("task-1"));
    });
    const { store } = await open();
    expect(await store.troubles()).toContainEqual(
      expect.stringMatching(/Its task id reads "tusk-1" or "task-1"/),
    );
  });

  it("tells of a video that may have been paid for when its intent is lost", async () => {
    const { open, directory } = await useStores();
    const path = join(directory, "video-tasks.journal");
    const { store, close } = await open();
    await store.begin({ key: "order-8", submission: SUBMISSION });
    await close();
    await writeFile(path, (await readFile(path, "utf8")).replace('"submitting"', '"sabmottyng"'));
    const reopened = await open();
    expect(await reopened.store.get("order-8")).toBeUndefined();
    expect(await reopened.store.troubles()).toContainEqual(
      expect.stringMatching(
        /of video "order-8"\. It may have been paid for: look .* before you submit it again/,
      ),
    );
  });

  it("is in no trouble after a crash cut a write short", async () => {
    const { open, directory } = await useStores();
    const path = join(directory, "video-tasks.journal");
    const { store, close } = await open();
    await store.begin({ key: "a", submission: SUBMISSION });
    await close();
    await writeFile(path, (await readFile(path)).subarray(0, -20));
    const reopened = await open();
    expect(await reopened.store.list()).toEqual([]);
    expect(await reopened.store.troubles()).toEqual([]);
  });

  it("tells the task id that a crash cut off with the rest of its record", async () => {
    const { open, damage, directory } = await usePaidTask();
    await damage(() => {});
    const path = join(directory, "video-tasks.journal");
    await writeFile(path, (await readFile(path)).subarray(0, -20));
    const { store } = await open();
    expect(await store.troubles()).toEqual([expect.stringMatching(/Its task id reads "task-1"/)]);
  });
});

describe("a journal of tasks that are forgotten", () => {
  it("holds nothing of them any more, without another task that would be written", async () => {
    const { open, directory } = await useStores();
    const { store } = await open({ retention: { finishedForMs: 1 } });
    await store.begin({ key: "open", submission: SUBMISSION });
    await store.begin({ key: "forgotten", submission: SUBMISSION });
    await store.accept("forgotten", task("succeeded"));
    const content = () => readFile(join(directory, "video-tasks.journal"), "utf8");
    expect(await content()).toContain("forgotten");
    await expect.poll(content).not.toContain("forgotten");
    expect(await content()).toContain('"open"');
  });

  it("is rid of them by being opened after the time has passed", async () => {
    const { open, directory } = await useStores();
    const { store, close } = await open();
    await store.begin({ key: "forgotten", submission: SUBMISSION });
    await store.accept("forgotten", task("succeeded"));
    await close();
    const reopened = await open({ retention: { finishedForMs: 1 } });
    expect(await reopened.store.list()).toEqual([]);
    const content = () => readFile(join(directory, "video-tasks.journal"), "utf8");
    await expect.poll(content).not.toContain("forgotten");
  });
});

describe("a journal that grows", () => {
  it("is compacted with the very task whose entry was one too many", async () => {
    const { open } = await useStores();
    const { store, close } = await open();
    const keys = Array.from({ length: 1_000 }, (_, index) => `${index}`);
    await Promise.all(keys.map((key) => store.begin({ key, submission: SUBMISSION })));
    await store.begin({ key: "last", submission: SUBMISSION });
    await close();
    const reopened = await open();
    expect((await reopened.store.list()).map(({ key }) => key)).toEqual([...keys, "last"]);
  });

  it("is compacted, and keeps every task that is not finished and as many finished ones as it should", async () => {
    const { open, directory } = await useStores();
    const { store, close } = await open({ retention: { maxFinished: 5 } });
    const size = async () => (await stat(join(directory, "video-tasks.journal"))).size;
    for (const key of ["lost", "running"]) await store.begin({ key, submission: SUBMISSION });
    await store.accept("running", task("running"));
    let largest = 0;
    for (let round = 0; round < 40; round += 1) {
      const keys = Array.from({ length: 10 }, (_, index) => `${round}-${index}`);
      await Promise.all(keys.map((key) => store.begin({ key, submission: SUBMISSION })));
      await Promise.all(keys.map((key) => store.accept(key, task("queued"))));
      await Promise.all(keys.map((key) => store.update(key, task("succeeded"))));
      largest = Math.max(largest, await size());
    }
    expect(await size()).toBeLessThan(largest);
    const kept = await store.list();
    expect(kept.map(({ key }) => key)).toEqual(["lost", "running", "39-5", "39-6", "39-7", "39-8", "39-9"]);
    await store.lose("lost", PROBLEM);
    await close();
    const reopened = await open({ retention: { maxFinished: 5 } });
    expect((await reopened.store.list()).slice(1)).toEqual(kept.slice(1));
  });
});
