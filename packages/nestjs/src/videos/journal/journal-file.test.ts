import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { fileHandles } from "../../../test/file-handles.js";
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
    const entries: string[] = [];
    const options = {
      path,
      reservePath: join(folder, "tasks.reserve"),
      isOwner: async () => isOwner,
      liveEntries: () => [...live.values()],
      warn: (message: string) => warnings.push(message),
      ...(minCompactionLines !== undefined && { minCompactionLines }),
    };
    const journal = await JournalFile.open(options, (text) => entries.push(text));
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
  /** What was kept of ends that could not be read, by name of the file. */
  const cutOff = async () => {
    const names = (await readdir(folder)).filter((name) => name.includes(".cut-")).sort();
    return Promise.all(names.map((name) => readFile(join(folder, name))));
  };
  const reserve = () =>
    stat(join(folder, "tasks.reserve")).then(
      () => true,
      () => false,
    );
  return { folder, path, openJournal, warnings, live, lose, size, reserve, cutOff };
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

  it("gives back entries of any length", async () => {
    const { openJournal } = await useJournal();
    const { journal } = await openJournal();
    const long = [1, 3_000_000, 10, 1_048_576, 2_097_152].map((length) => JSON.stringify("ä".repeat(length)));
    for (const text of long) await journal.append(text, "progress");
    await journal.close();
    expect((await openJournal()).entries).toEqual(long);
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
      // The newline tells nothing that the checksum does not.
      const kept = ends.slice(1).filter((end) => end - 1 <= length).length;
      expect(reopened.entries, `cut at ${length}`).toHaveLength(kept);
      expect(warnings).toHaveLength(length === 0 || ends.includes(length) ? 0 : 1);
      expect(reopened.journal.damage).toBeUndefined();
      await reopened.append("after", 1);
      await reopened.journal.close();
      const again = await openJournal();
      expect(again.entries).toEqual([...reopened.entries, entry("after", 1)]);
      await again.journal.close();
    }
  });

  it("is made again when nothing but room for its first line came to the disk", async () => {
    const { openJournal, path, size, warnings } = await useJournal();
    const { journal } = await openJournal();
    await journal.close();
    const header = await readFile(path);
    for (let length = 1; length <= header.length; length += 1) {
      await writeFile(path, Buffer.alloc(length));
      warnings.length = 0;
      const reopened = await openJournal();
      expect(warnings, `zeros to ${length}`).toEqual([expect.stringContaining("it is made again")]);
      expect(await size()).toBe(header.length);
      await reopened.append("after", 1);
      await reopened.journal.close();
      const again = await openJournal();
      expect(again.entries).toEqual([entry("after", 1)]);
      await again.journal.close();
    }
    await writeFile(path, Buffer.alloc(header.length + 1));
    await expect(openJournal()).rejects.toThrow(/no journal that this version/);
  });

  it("leaves out the entry whose page never came to the disk, and keeps the others of its write", async () => {
    const { openJournal, path, size, warnings, cutOff } = await useJournal();
    const { journal, append } = await openJournal();
    await append("before", 1);
    const start = await size();
    await Promise.all(["a", "b", "c"].map((key) => append(key, 1)));
    await journal.close();
    const content = await readFile(path);
    content.fill(0, start, start + 10);
    await writeFile(path, content);
    const kept = ["before", "b", "c"].map((key) => entry(key, 1));
    const reopened = await openJournal();
    expect(reopened.entries).toEqual(kept);
    expect(warnings).toEqual([expect.stringMatching(/bytes that are not what was written.*\.cut-1/)]);
    expect(await cutOff()).toEqual([content.subarray(start)]);
    await reopened.journal.close();
    expect((await openJournal()).entries).toEqual(kept);
    expect(warnings).toHaveLength(1);
  });

  it("believes no line behind it that an earlier file left there", async () => {
    const { openJournal, path, size } = await useJournal();
    const { journal, append } = await openJournal();
    await append("a", 1);
    await append("a", 2);
    const stale = (await readFile(path)).subarray(0, await size());
    await append("a", 3);
    await journal.close();
    const [, first = ""] = stale.toString().split("\n");
    await writeFile(path, `${await readFile(path, "utf8")}torn\n${first}\n`);
    expect((await openJournal()).entries).toEqual([1, 2, 3].map((value) => entry("a", value)));
  });
});

describe("a journal whose last entry is damaged", () => {
  // Letters that one bit makes a newline.
  const KEY = "J*";

  async function useDamage() {
    const files = await useJournal();
    const { journal, append } = await files.openJournal();
    await append(KEY, 1);
    const start = await files.size();
    await append(KEY, 2);
    await journal.close();
    return { ...files, start, whole: await readFile(files.path) };
  }

  it("is put right, whichever bit is wrong, and keeps what was there", async () => {
    const { openJournal, path, start, whole, warnings, cutOff } = await useDamage();
    let count = 0;
    for (let bit = start * 8; bit < whole.length * 8; bit += 1) {
      const flipped = Buffer.from(whole);
      flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      await writeFile(path, flipped);
      const { entries, journal } = await openJournal();
      expect(entries, `bit ${bit}`).toEqual([entry(KEY, 1), entry(KEY, 2)]);
      expect(journal.damage).toMatch(/had a bit that was wrong.*Check the disk and the memory/);
      await journal.close();
      expect(await readFile(path)).toEqual(whole);
      count += 1;
      expect(warnings).toHaveLength(count);
      expect(await readFile(`${path}.cut-${count}`)).toEqual(flipped.subarray(start));
    }
    expect(await cutOff()).toHaveLength(count);
    const { journal } = await openJournal();
    expect(journal.damage).toBeUndefined();
    expect(warnings).toHaveLength(count);
  });

  it("is left without it when more is wrong, and keeps what was there", async () => {
    const { openJournal, path, start, whole, cutOff } = await useDamage();
    const kept: Buffer[] = [];
    for (let offset = start; offset < whole.length - 1; offset += 1) {
      const damaged = Buffer.from(whole);
      damaged.writeUInt16BE(damaged.readUInt16BE(offset) ^ 0x0301, offset);
      await writeFile(path, damaged);
      kept.push(damaged.subarray(start));
      const { entries, journal } = await openJournal();
      expect(entries, `byte ${offset}`).toEqual([entry(KEY, 1)]);
      await journal.close();
    }
    // In the order of their numbers.
    expect((await cutOff()).map(String).sort()).toEqual(kept.map(String).sort());
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

describe("a journal that another process takes over while its owner stands still", () => {
  /** Two that have the same file: the owner, and a successor that comes when it is called for. */
  async function useTakeover() {
    const { openJournal, path, live, folder } = await useJournal({ minCompactionLines: 3 });
    let isOwner = true;
    const open = async (owns: () => Promise<boolean>, entries: () => Iterable<string>) => {
      const options = {
        path,
        reservePath: join(folder, "tasks.reserve"),
        isOwner: owns,
        liveEntries: entries,
        warn: () => {},
        minCompactionLines: 3,
      };
      const found: string[] = [];
      const journal = await JournalFile.open(options, (text) => found.push(text));
      onTestFinished(() => journal.close().catch(() => {}));
      return { journal, found };
    };
    const takeOver = async () => {
      isOwner = false;
      const found: string[] = [];
      const successor = await open(
        async () => true,
        () => found,
      );
      found.push(...successor.found);
      await successor.journal.renew();
      return successor;
    };
    return { openJournal, live, open, takeOver, owns: async () => isOwner };
  }

  it("gets nothing of it into the successor's file", async () => {
    const { openJournal, open, takeOver, owns } = await useTakeover();
    const { journal } = await open(owns, () => []);
    await journal.append(entry("a", 1), "progress");
    const handles = await fileHandles();
    const { appendFile } = handles;
    let successor: Awaited<ReturnType<typeof takeOver>> | undefined;
    const spy = vi.spyOn(handles, "appendFile").mockImplementationOnce(async function (
      this: typeof handles,
      ...bytes
    ) {
      // Stands still between its look at the lock and its write.
      successor = await takeOver();
      await successor.journal.append(entry("b", 1), "progress");
      return appendFile.apply(this, bytes);
    });
    onTestFinished(() => spy.mockRestore());
    await expect(journal.append(entry("a", 2), "outcome")).rejects.toThrow(/was removed while it was in use/);
    await expect(journal.append(entry("a", 3), "intent")).rejects.toThrow(/Nothing was sent/);
    await successor?.journal.append(entry("b", 2), "progress");
    await successor?.journal.close();
    expect((await openJournal()).entries).toEqual([entry("a", 1), entry("b", 1), entry("b", 2)]);
  });

  it("keeps the successor's file when it goes on to replace its own", async () => {
    const { openJournal, open, takeOver, owns } = await useTakeover();
    let successor: Awaited<ReturnType<typeof takeOver>> | undefined;
    let isCompacting = false;
    const { journal } = await open(
      async () => {
        if (!isCompacting || successor !== undefined) return owns();
        // Stands still between its look at the lock and the new name of its file.
        successor = await takeOver();
        await successor.journal.append(entry("b", 1), "progress");
        return true;
      },
      () => {
        isCompacting = true;
        return [entry("a", 4)];
      },
    );
    for (let value = 1; value <= 3; value += 1) await journal.append(entry("a", value), "progress");
    await journal.append(entry("a", 4), "progress");
    await expect(journal.append(entry("a", 5), "progress")).rejects.toThrow(
      /was removed while it was in use/,
    );
    await successor?.journal.append(entry("b", 2), "progress");
    await successor?.journal.close();
    const { entries } = await openJournal();
    expect(entries).toEqual([
      ...[1, 2, 3, 4].map((value) => entry("a", value)),
      entry("b", 1),
      entry("b", 2),
    ]);
  });
});

/** A byte that is not the one before, and now and then the end of a line. */
function replaced(content: Buffer, offset: number): Buffer {
  const copy = Buffer.from(content);
  const newline = 0x0a;
  copy[offset] = copy[offset] === newline || offset % 3 === 0 ? 0x23 : newline;
  return copy;
}
