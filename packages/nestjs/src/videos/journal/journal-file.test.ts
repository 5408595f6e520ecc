import { mkdtemp, open, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { JournalFile } from "./journal-file.js";

/** Entries of a small application: of each key, the last counts. */
const entry = (key: string, value: number) => JSON.stringify({ key, value });

async function useJournal({ minCompactionLines }: { minCompactionLines?: number } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "journal-file-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, "tasks.journal");
  const live = new Map<string, string>();
  const warnings: string[] = [];
  let isOwner = true;
  const openJournal = async () => {
    const { journal, entries } = await JournalFile.open({
      path,
      reservePath: join(folder, "tasks.reserve"),
      isOwner: async () => isOwner,
      liveEntries: () => [...live.values()],
      warn: (message) => warnings.push(message),
      ...(minCompactionLines !== undefined && { minCompactionLines }),
    });
    onTestFinished(() => journal.close().catch(() => {}));
    const append = (key: string, value: number) => {
      const text = entry(key, value);
      return journal.append(text, "progress", () => live.set(key, text));
    };
    return { journal, entries, append };
  };
  const lose = () => {
    isOwner = false;
  };
  const size = async () => (await stat(path)).size;
  const reserve = () =>
    stat(join(folder, "tasks.reserve")).then(
      () => true,
      () => false,
    );
  return { folder, path, openJournal, warnings, live, lose, size, reserve };
}

/** The platform's file handles, to count what is asked of the disk and to make it fail. */
async function fileHandles() {
  const handle = await open(tmpdir());
  const prototype = Object.getPrototypeOf(handle) as typeof handle;
  await handle.close();
  return prototype;
}

describe("a journal", () => {
  it("gives back what was appended, in order", async () => {
    const { openJournal } = await useJournal();
    const { journal, append } = await openJournal();
    const expected: string[] = [];
    for (let value = 0; value < 5; value += 1) {
      await append("a", value);
      expected.push(entry("a", value));
    }
    await journal.close();
    expect((await openJournal()).entries).toEqual(expected);
  });

  it("takes what comes while the disk is busy into the next sync", async () => {
    const { openJournal } = await useJournal({ minCompactionLines: 10_000 });
    const { append } = await openJournal();
    const syncs = vi.spyOn(await fileHandles(), "datasync");
    onTestFinished(() => syncs.mockRestore());
    await Promise.all(Array.from({ length: 1_000 }, (_, value) => append(`key-${value}`, value)));
    expect(syncs.mock.calls.length).toBeLessThan(10);
    syncs.mockClear();
    for (let value = 0; value < 3; value += 1) await append("one after the other", value);
    expect(syncs).toHaveBeenCalledTimes(3);
  });

  it("acknowledges nothing before it is on disk", async () => {
    const { openJournal } = await useJournal();
    const { append, journal } = await openJournal();
    const synced: string[] = [];
    const handles = await fileHandles();
    const datasync = handles.datasync;
    const spy = vi.spyOn(handles, "datasync").mockImplementation(async function (this: typeof handles) {
      await datasync.call(this);
      synced.push("synced");
    });
    onTestFinished(() => spy.mockRestore());
    await append("a", 1).then(() => synced.push("acknowledged"));
    expect(synced).toEqual(["synced", "acknowledged"]);
    await journal.close();
    await expect(append("a", 2)).rejects.toThrow(/the store is closed/);
  });
});

describe("a journal that a crash cut short", () => {
  it("keeps every whole entry, at whatever byte it was cut", async () => {
    const { openJournal, path, warnings, size } = await useJournal();
    const { journal, append } = await openJournal();
    const ends = [await size()];
    for (let value = 0; value < 4; value += 1) {
      await append("ä", value);
      ends.push(await size());
    }
    await journal.close();
    const whole = await readFile(path);
    for (let length = 0; length <= whole.length; length += 1) {
      await writeFile(path, whole.subarray(0, length));
      warnings.length = 0;
      const reopened = await openJournal();
      const kept = Math.max(0, ends.filter((end) => end <= length).length - 1);
      expect(reopened.entries, `cut at ${length}`).toHaveLength(kept);
      expect(warnings).toHaveLength(length === 0 || ends.includes(length) ? 0 : 1);
      await reopened.append("after", 1);
      await reopened.journal.close();
      const again = await openJournal();
      expect(again.entries).toEqual([...reopened.entries, entry("after", 1)]);
      await again.journal.close();
    }
  });

  it("leaves out a last entry that is not what was written", async () => {
    const { openJournal, path, size, warnings } = await useJournal();
    const { journal, append } = await openJournal();
    await append("a", 1);
    const start = await size();
    await append("a", 2);
    await journal.close();
    const whole = await readFile(path);
    for (let offset = start; offset < whole.length; offset += 1) {
      await writeFile(path, replaced(whole, offset));
      const reopened = await openJournal();
      expect(reopened.entries).toEqual([entry("a", 1)]);
      await reopened.journal.close();
    }
    expect(warnings).toHaveLength(whole.length - start);
  });

  it("leaves out the rest of a write whose first page never came to the disk", async () => {
    const { openJournal, path, size, warnings } = await useJournal();
    const { journal, append } = await openJournal();
    await append("before", 1);
    const start = await size();
    await Promise.all(["a", "b", "c"].map((key) => append(key, 1)));
    await journal.close();
    const content = await readFile(path);
    content.fill(0, start, start + 10);
    await writeFile(path, content);
    expect((await openJournal()).entries).toEqual([entry("before", 1)]);
    expect(warnings).toEqual([expect.stringContaining("crash cut short")]);
  });
});

describe("a journal that is damaged in what was on disk for certain", () => {
  it("is refused with file and line, and stays as it is", async () => {
    const { openJournal, path, size } = await useJournal();
    const { journal, append } = await openJournal();
    const ends = [0, await size()];
    for (let value = 0; value < 3; value += 1) {
      await append("a", value);
      ends.push(await size());
    }
    await journal.close();
    const whole = await readFile(path);
    const last = ends.at(-2) ?? 0;
    for (let offset = 0; offset < last; offset += 1) {
      const damaged = replaced(whole, offset);
      await writeFile(path, damaged);
      const line = ends.filter((end) => end <= offset).length;
      await expect(openJournal(), `byte ${offset}`).rejects.toThrow(
        `${path} is damaged in line ${line}, in a part that had been written completely.`,
      );
      expect(await readFile(path)).toEqual(damaged);
    }
  });

  it("can be started without the damaged line", async () => {
    const { openJournal, path } = await useJournal();
    const { journal, append } = await openJournal();
    for (let value = 0; value < 3; value += 1) await append("a", value);
    await journal.close();
    const lines = (await readFile(path, "utf8")).split("\n");
    await writeFile(path, lines.toSpliced(2, 1).join("\n"));
    const reopened = await openJournal();
    expect(reopened.entries).toEqual([entry("a", 0), entry("a", 2)]);
    await reopened.append("a", 3);
    await reopened.journal.close();
    expect((await openJournal()).entries).toHaveLength(3);
  });

  it("is refused when it is somebody else's file, or of a later version", async () => {
    const { openJournal, path } = await useJournal();
    await writeFile(path, "Dear diary,\n");
    await expect(openJournal()).rejects.toThrow(/no journal that this version .* begins with "Dear diary/);
    expect(await readFile(path, "utf8")).toBe("Dear diary,\n");
  });
});

describe("a journal on a disk that fails", () => {
  const failure = (code: string) => Object.assign(new Error(`${code}: it failed`), { code });

  it("writes nothing more after a sync that failed, until it is opened again", async () => {
    const { openJournal } = await useJournal();
    const { append, journal } = await openJournal();
    await append("a", 1);
    const spy = vi.spyOn(await fileHandles(), "datasync").mockRejectedValueOnce(failure("EIO"));
    onTestFinished(() => spy.mockRestore());
    const failed = append("a", 2);
    await expect(failed).rejects.toThrow(/not confirmed by the disk .*EIO.*Check the disk and restart/);
    await expect(append("b", 1)).rejects.toThrow(/nobody knows what is on the disk/);
    await expect(journal.append(entry("c", 1), "intent")).rejects.toThrow(
      /Nothing was sent .* nothing was paid/,
    );
    expect(await journal.findTrouble()).toMatch(/EIO/);
    await journal.close();
    const reopened = await openJournal();
    await reopened.append("b", 1);
    expect(reopened.entries[0]).toBe(entry("a", 1));
  });

  it("takes back a write that failed half way, and goes on", async () => {
    const { openJournal, path, size } = await useJournal();
    const { append, journal } = await openJournal();
    await append("a", 1);
    const before = await size();
    const handles = await fileHandles();
    const spy = vi.spyOn(handles, "appendFile").mockImplementationOnce(async function (this: typeof handles) {
      await this.write(Buffer.from("half a li"));
      throw failure("EIO");
    });
    onTestFinished(() => spy.mockRestore());
    await expect(append("a", 2)).rejects.toThrow(/writing to .* failed .*EIO.* the journal has its id/);
    expect(await size()).toBe(before);
    expect(await journal.findTrouble()).toMatch(/EIO/);
    await append("a", 3);
    expect(await journal.findTrouble()).toBeUndefined();
    await journal.close();
    expect((await readFile(path, "utf8")).split("\n")).toHaveLength(4);
    expect((await openJournal()).entries).toEqual([entry("a", 1), entry("a", 3)]);
  });
});

describe("a journal without room", () => {
  const noRoom = () => Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC" });

  it.each(["outcome", "end"] as const)(
    "gives the room that it kept to an entry of kind %s",
    async (purpose) => {
      const { openJournal, reserve } = await useJournal();
      const { journal } = await openJournal();
      await journal.append(entry("a", 1), "intent");
      expect(await reserve()).toBe(true);
      const spy = vi.spyOn(await fileHandles(), "appendFile").mockRejectedValueOnce(noRoom());
      onTestFinished(() => spy.mockRestore());
      await journal.append(entry("a", 2), purpose);
      expect(await reserve()).toBe(false);
      await journal.close();
      expect((await openJournal()).entries).toEqual([entry("a", 1), entry("a", 2)]);
    },
  );

  it("gives it to nothing that the gateway can be asked again", async () => {
    const { openJournal, reserve } = await useJournal();
    const { journal, append } = await openJournal();
    await journal.append(entry("a", 1), "intent");
    const spy = vi.spyOn(await fileHandles(), "appendFile").mockRejectedValueOnce(noRoom());
    onTestFinished(() => spy.mockRestore());
    await expect(append("a", 2)).rejects.toMatchObject({ purpose: "progress", isTemporary: true });
    expect(await reserve()).toBe(true);
  });
});

describe("a journal that is closed", () => {
  it("has written what was appended before", async () => {
    const { openJournal } = await useJournal();
    const { journal, append } = await openJournal();
    const appended = Promise.all([append("a", 1), append("b", 1)]);
    await journal.close();
    await appended;
    expect((await openJournal()).entries).toEqual([entry("a", 1), entry("b", 1)]);
  });
});

describe("the file that replaces a journal", () => {
  // Windows has names on disk by itself.
  const onPosix = it.skipIf(process.platform === "win32");

  onPosix(
    "is on disk with its name before anything is appended to it, and nobody else may read it",
    async () => {
      const { openJournal, path } = await useJournal({ minCompactionLines: 2 });
      const { append } = await openJournal();
      await append("a", 1);
      await append("a", 2);
      const handles = await fileHandles();
      const synced: string[] = [];
      const { datasync, sync } = handles;
      const spies = [
        vi.spyOn(handles, "datasync").mockImplementation(async function (this: typeof handles) {
          synced.push(String((await this.stat()).ino));
          await datasync.call(this);
        }),
        vi.spyOn(handles, "sync").mockImplementation(async function (this: typeof handles) {
          synced.push("folder");
          await sync.call(this);
        }),
      ];
      onTestFinished(() => {
        for (const spy of spies) spy.mockRestore();
      });
      const old = String((await stat(path)).ino);
      await append("a", 3);
      await append("a", 4);
      const { ino, mode } = await stat(path);
      expect(synced).toEqual([old, String(ino), "folder", String(ino)]);
      expect(mode & 0o777).toBe(0o600);
    },
  );

  onPosix("takes nothing when its name may not be on disk", async () => {
    const { openJournal } = await useJournal({ minCompactionLines: 2 });
    const { append } = await openJournal();
    await append("a", 1);
    await append("a", 2);
    const spy = vi
      .spyOn(await fileHandles(), "sync")
      .mockRejectedValueOnce(Object.assign(new Error("EIO: it failed"), { code: "EIO" }));
    onTestFinished(() => spy.mockRestore());
    await append("a", 3);
    await expect(append("a", 4)).rejects.toThrow(/not confirmed by the disk .*EIO/);
  });

  it("is given up when another process may have the journal by then", async () => {
    const { openJournal, path, live, lose, warnings } = await useJournal({ minCompactionLines: 2 });
    const { append, journal } = await openJournal();
    await append("a", 1);
    await append("a", 2);
    const { ino } = await stat(path);
    const values = live.values.bind(live);
    live.values = () => {
      lose();
      return values();
    };
    await append("a", 3);
    expect(await journal.findTrouble()).toMatch(/was removed while it was in use/);
    expect((await stat(path)).ino).toBe(ino);
    expect(warnings).toEqual([expect.stringMatching(/could not be compacted/)]);
  });
});

describe("a journal whose files somebody removes", () => {
  it("acknowledges nothing that was written while the lock went away", async () => {
    const { openJournal, lose } = await useJournal();
    const { append } = await openJournal();
    await append("a", 1);
    const handles = await fileHandles();
    const { datasync } = handles;
    const spy = vi.spyOn(handles, "datasync").mockImplementationOnce(async function (this: typeof handles) {
      await datasync.call(this);
      lose();
    });
    onTestFinished(() => spy.mockRestore());
    await expect(append("a", 2)).rejects.toThrow(/was removed while it was in use/);
  });

  it("writes nothing into what may be another's", async () => {
    const { openJournal, lose, size } = await useJournal();
    const { append } = await openJournal();
    await append("a", 1);
    const before = await size();
    lose();
    await expect(append("a", 2)).rejects.toThrow(/was removed while it was in use/);
    expect(await size()).toBe(before);
  });

  it.each([
    ["the lock", async ({ lose }: { lose: () => void }) => lose()],
    ["the journal", async ({ path }: { path: string }) => rm(path)],
  ])("takes no more tasks: %s", async (_what, remove) => {
    const files = await useJournal();
    const { journal, append } = await files.openJournal();
    await append("a", 1);
    await remove(files);
    await expect(journal.append(entry("b", 1), "intent")).rejects.toThrow(
      /was removed while it was in use.*Nothing was sent/,
    );
    await expect(append("a", 2)).rejects.toThrow(/was removed while it was in use/);
  });
});

/** A byte that is not the one before, and now and then the end of a line. */
function replaced(content: Buffer, offset: number): Buffer {
  const copy = Buffer.from(content);
  const newline = 0x0a;
  copy[offset] = copy[offset] === newline || offset % 3 === 0 ? 0x23 : newline;
  return copy;
}
