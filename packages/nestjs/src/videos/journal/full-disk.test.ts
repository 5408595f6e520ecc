import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { VideoTask } from "@model-gateway/core";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { compileChild, startChild } from "../../../test/child.js";
import { mountSmallDisk } from "../../../test/small-disk.js";
import type { VideoTaskPolling } from "../video-task-store.js";
import { JournalVideoTaskStore } from "./journal-video-task-store.js";
import { JournalWriteError } from "./journal-write-error.js";

const MEBIBYTE = 1_048_576;
const SUBMISSION = {
  family: "content" as const,
  body: { model: "some-video-model", content: [{ type: "text" as const, text: "A boat. ".repeat(100) }] },
};
const QUIET: VideoTaskPolling = {
  ratePerSecond: 1,
  toEnd: async () => {},
  once: async () => ({ failedPolls: 0 }),
};

function task(id: string, status: VideoTask["status"]): VideoTask {
  const handle = { v: 1, family: "content", id } as const;
  return { handle, id, family: handle.family, status, videos: [], raw: { status } };
}

const disk = await mountSmallDisk(2 * MEBIBYTE);

describe.skipIf(disk === undefined)("a disk that is really full", () => {
  afterAll(() => disk?.remove());

  async function useStore(name: string) {
    if (disk === undefined) throw new Error("There is no disk.");
    const store = new JournalVideoTaskStore({ directory: join(disk.folder, name), lockWaitMs: 0 });
    await store.open(QUIET);
    onTestFinished(async () => {
      await store.stop();
      await store.close();
      await rm(join(disk.folder, name), { recursive: true, force: true });
    });
    const begin = (key: string) => store.begin({ key, submission: SUBMISSION });
    return { disk, store, begin };
  }

  it("lets nothing be paid for, writes down what was, and goes on when there is room again", async () => {
    const { disk, store, begin } = await useStore("all");
    const paid = Array.from({ length: 100 }, (_, index) => `paid-${index}`);
    await Promise.all(paid.map((key) => begin(key)));
    await store.accept("paid-0", task("0", "queued"));
    const makeRoom = await disk.fill();

    // What is left of the file's last page is soon used up.
    const refused = (async () => {
      for (let index = 0; index < 100; index += 1) await begin(`more-${index}`);
    })();
    await expect(refused).rejects.toThrow(JournalWriteError);
    await expect(refused).rejects.toThrow(
      /the disk is full \(ENOSPC, .*\)\. Make room.* Nothing was sent to the gateway and nothing was paid\./,
    );
    expect(await store.troubles()).toEqual([expect.stringMatching(/the disk is full/)]);
    // Progress is not worth the reserve, and not worth giving up the polls of the task either.
    await store.update("paid-0", task("0", "running"));
    expect((await store.get("paid-0"))?.status).toBe("queued");
    await expect(store.cancelWatch("paid-0")).rejects.toThrow(/the gateway knows how it stands/);

    const outcomes = paid.slice(1).map((key) => store.accept(key, task(key, "queued")));
    await Promise.all([...outcomes, expect(begin("late")).rejects.toThrow(/nothing was paid/)]);
    await expect(begin("later")).rejects.toThrow(/nothing was paid/);
    await store.update("paid-1", task("paid-1", "succeeded"));

    await makeRoom();
    expect(await store.troubles()).toEqual([]);
    expect(await begin("after")).toBe(true);
    await store.update("paid-0", task("0", "succeeded"));

    const written = await store.list();
    await store.stop();
    await store.close();
    await store.open(QUIET);
    const read = await store.list();
    expect(read.filter(({ handle }) => handle !== undefined)).toEqual(
      written.filter(({ handle }) => handle !== undefined),
    );
    expect(read.map(({ key }) => key)).toEqual(written.map(({ key }) => key));
    expect(read.filter(({ handle }) => handle !== undefined)).toHaveLength(100);
  });

  it("says what it means when not even the reserve is enough", async () => {
    const { disk, store, begin } = await useStore("nothing");
    await begin("paid");
    const large = { ...task("1", "queued"), raw: { text: "x".repeat(2 * MEBIBYTE) } };
    const makeRoom = await disk.fill();
    await expect(store.accept("paid", large)).rejects.toThrow(
      /the disk is full .*The task may have been paid for.*Keep its id from the log\./,
    );
    expect((await store.get("paid"))?.status).toBe("submitting");
    await makeRoom();
    await store.accept("paid", task("1", "queued"));
    expect((await store.get("paid"))?.handle?.id).toBe("1");
    const fillAgain = await disk.fill();
    const end = store.update("paid", { ...large, status: "succeeded" });
    await expect(end).rejects.toThrow(/asked for it again at the next start/);
    await fillAgain();
  });

  it("is no trouble any more once there is room, also where there was none for the reserve", async () => {
    const { disk, store, begin } = await useStore("reserve");
    await begin("first");
    await store.stop();
    await store.close();
    await rm(join(disk.folder, "reserve", "video-tasks.reserve"));
    const makeRoom = await disk.fill(MEBIBYTE / 16);
    // Its tasks are polled all the same.
    await store.open(QUIET);
    expect(await store.troubles()).toEqual([expect.stringMatching(/the disk is full/)]);
    expect(await store.list()).toHaveLength(1);
    await expect(begin("second")).rejects.toThrow(/Nothing was sent/);
    await makeRoom();
    expect(await store.troubles()).toEqual([]);
  });

  it("lets no application start that has no tasks there yet, and is left as it was", async () => {
    if (disk === undefined) throw new Error("There is no disk.");
    const directory = join(disk.folder, "missing", "folder");
    const store = new JournalVideoTaskStore({ directory });
    const makeRoom = await disk.fill();
    const before = await readdir(disk.folder);
    await expect(store.open(QUIET)).rejects.toThrow(/cannot be used: .*ENOSPC.*Nothing was sent/);
    expect(await readdir(disk.folder)).toEqual(before);
    await makeRoom();
    await disk.setReadOnly(true);
    await expect(store.open(QUIET)).rejects.toThrow(/cannot be used: .*EROFS.*videos: \{ store: new Memory/);
    await disk.setReadOnly(false);
    await store.open(QUIET);
    expect(await readdir(disk.folder)).toEqual([]);
    await store.close();
  });

  it("says when an application starts that its tasks cannot be written down any more", async () => {
    const { disk, store, begin } = await useStore("read-only");
    await begin("paid");
    await store.stop();
    await store.close();
    await disk.setReadOnly(true);
    await expect(store.open(QUIET)).rejects.toThrow(/cannot be used: .*EROFS.*Nothing was sent/);
    await disk.setReadOnly(false);
    await store.open(QUIET);
    expect(await store.list()).toHaveLength(1);
  });

  it("lets no first task be paid for either", async () => {
    const { disk, store, begin } = await useStore("new");
    const makeRoom = await disk.fill();
    await expect(begin("first")).rejects.toThrow(/Nothing was sent/);
    await makeRoom();
    expect(await begin("first")).toBe(true);
    expect(await store.list()).toHaveLength(1);
    expect(await readFile(join(disk.folder, "new", ".gitignore"), "utf8")).toBe("*\n");
  });
});

it.skipIf(process.platform === "win32")("a file that may not grow: what is written stays whole", async () => {
  const directory = await mkdtemp(join(tmpdir(), "small-file-"));
  const program = await compileChild("journal-writer");
  onTestFinished(async () => {
    await rm(directory, { recursive: true });
    await program.remove();
  });
  // In blocks of 512 bytes: room for the reserve and little more.
  const child = startChild(program.file, { directory }, ["sh", "-c", 'ulimit -f 2200; exec "$0" "$@"']);
  const { error, count } = (await child.next()) as { error: string; count: number };
  expect(error).toMatch(/the file may not grow any further \(EFBIG, .*Nothing was sent/);
  expect(count).toBeGreaterThan(100);
  await child.exit;
  expect(await readFile(join(directory, "video-tasks.journal"), "utf8")).toMatch(/\n$/);
  const store = new JournalVideoTaskStore({ directory, lockWaitMs: 0 });
  await store.open(QUIET);
  expect(await store.list()).toHaveLength(count);
  await store.stop();
  await store.close();
});
