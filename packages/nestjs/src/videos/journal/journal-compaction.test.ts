import { copyFile, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { fileHandles } from "../../../test/file-handles.js";
import { JournalDraft } from "./journal-draft.js";
import { JournalFile } from "./journal-file.js";

interface Entry {
  key: string;
  value: number;
}

/** A map that is kept in a journal: what an application of it looks like. */
class JournaledMap {
  readonly live = new Map<string, Entry>();
  readonly warnings: string[] = [];
  private journal: JournalFile | undefined;

  constructor(
    readonly path: string,
    private readonly minCompactionLines: number,
  ) {}

  async open(): Promise<void> {
    const options = {
      path: this.path,
      reservePath: `${this.path}.reserve`,
      isOwner: async () => true,
      liveEntries: () => [...this.live.values()].map((entry) => JSON.stringify(entry)),
      warn: (message: string) => this.warnings.push(message),
      minCompactionLines: this.minCompactionLines,
    };
    this.live.clear();
    this.journal = await JournalFile.open(options, (text) => {
      const entry: Entry = JSON.parse(text);
      this.live.set(entry.key, entry);
    });
  }

  async set(entry: Entry): Promise<void> {
    await this.journal?.append(JSON.stringify(entry), "progress", () => this.live.set(entry.key, entry));
  }

  /** A compaction gives the file another number. */
  async file(): Promise<{ size: number; ino: number }> {
    return stat(this.path);
  }

  async close(): Promise<void> {
    await this.journal?.close();
  }
}

async function useFolder() {
  const folder = await mkdtemp(join(tmpdir(), "journal-compaction-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe("compaction", () => {
  it("loses nothing of what is appended meanwhile, and leaves out what is superseded", async () => {
    const map = new JournaledMap(join(await useFolder(), "tasks.journal"), 100);
    await map.open();
    const expected = new Map<string, Entry>();
    const writing: Array<Promise<void>> = [];
    let largest = 0;
    for (let value = 0; value < 5_000; value += 1) {
      const entry = { key: `key-${value % 50}`, value };
      expected.set(entry.key, entry);
      writing.push(map.set(entry));
      // Some come in groups, some alone, and all while others are being written.
      if (value % 97 === 0) {
        await writing[value - 10];
        largest = Math.max(largest, (await map.file()).size);
      }
    }
    await Promise.all(writing);
    expect((await map.file()).size).toBeLessThan(largest);
    await map.close();
    const lines = (await readFile(map.path, "utf8")).trim().split("\n");
    expect(lines.length).toBeLessThan(1_000);
    await map.open();
    expect([...map.live]).toEqual([...expected]);
    await map.close();
  });

  it("goes on with the old file when there can be no new one", async () => {
    const map = new JournaledMap(join(await useFolder(), "tasks.journal"), 3);
    await map.open();
    const handles = await fileHandles();
    const { datasync } = handles;
    const spy = vi.spyOn(handles, "datasync").mockImplementation(async function (this: typeof handles) {
      if ((await this.stat()).ino !== (await stat(map.path)).ino) throw new Error("There is no room.");
      await datasync.call(this);
    });
    onTestFinished(() => spy.mockRestore());
    // Tried again when the file has grown much, and not with each entry.
    for (let value = 0; value < 8; value += 1) await map.set({ key: "a", value });
    expect(map.warnings).toEqual([expect.stringMatching(/could not be compacted and goes on growing/)]);
    expect(await readdir(dirname(map.path))).not.toContainEqual(expect.stringContaining(".new-"));
    await map.close();
    await map.open();
    expect([...map.live.values()]).toEqual([{ key: "a", value: 7 }]);
    await map.close();
  });

  it("shares its new file with nobody who compacts the same journal", async () => {
    const path = join(await useFolder(), "tasks.journal");
    const drafts = await Promise.all([JournalDraft.write(path, ["1"]), JournalDraft.write(path, ["2"])]);
    expect(new Set(drafts.map((draft) => draft.path)).size).toBe(2);
    for (const draft of drafts) await draft.discard();
    expect(await readdir(dirname(path))).toEqual([]);
  });

  it("leaves the old file when it is cut short before the new one has its name", async () => {
    const map = new JournaledMap(join(await useFolder(), "tasks.journal"), 100);
    await map.open();
    await map.set({ key: "a", value: 1 });
    await map.close();
    await writeFile(`${map.path}.new-1`, "half a fi");
    await map.open();
    expect([...map.live.values()]).toEqual([{ key: "a", value: 1 }]);
    await expect(stat(`${map.path}.new-1`)).rejects.toThrow("ENOENT");
    await map.close();
  });
});

describe("a crash", () => {
  const groups = fc.array(
    fc.oneof(
      { weight: 5, arbitrary: fc.array(fc.constantFrom("a", "b", "ö", "d"), { minLength: 1, maxLength: 4 }) },
      { weight: 1, arbitrary: fc.constant("reopen" as const) },
    ),
    { minLength: 1, maxLength: 12 },
  );

  it("at any moment of any history leaves what was acknowledged, and perhaps what was being written", async () => {
    const folder = await useFolder();
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(groups, fc.double({ min: 0, max: 1, noNaN: true }), async (history, fraction) => {
        const path = join(folder, `${runs++}.journal`);
        const map = new JournaledMap(path, 6);
        await map.open();
        let value = 0;
        let acknowledged = new Map<string, Entry>();
        let before = await map.file();
        for (const group of history) {
          acknowledged = new Map(map.live);
          before = await map.file();
          if (group === "reopen") {
            await map.close();
            await map.open();
          } else {
            await Promise.all(group.map((key) => map.set({ key, value: value++ })));
          }
        }
        const written = new Map(map.live);
        await map.close();
        const after = await map.file();
        // What a compaction leaves was on disk before it had the journal's name.
        const certain = after.ino === before.ino ? before.size : after.size;
        const length = Math.round(certain + fraction * (after.size - certain));
        await copyFile(path, `${path}.crashed`);
        await truncate(`${path}.crashed`, length);
        const found = new JournaledMap(`${path}.crashed`, 6);
        await found.open();
        for (const [key, entry] of found.live) {
          expect(entry.value).toBeGreaterThanOrEqual(acknowledged.get(key)?.value ?? 0);
          expect(entry.value).toBeLessThanOrEqual(written.get(key)?.value ?? -1);
        }
        expect([...found.live.keys()]).toEqual(expect.arrayContaining([...acknowledged.keys()]));
        if (length === after.size) expect([...found.live]).toEqual([...written]);
        else if (length === certain) expect([...found.live]).toEqual([...acknowledged]);
        await found.close();
      }),
      { numRuns: 150 },
    );
  });
});
