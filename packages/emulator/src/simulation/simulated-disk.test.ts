import { constants, createReadStream, existsSync } from "node:fs";
import {
  access,
  appendFile,
  link,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  truncate,
  unlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { inWorld } from "../testing/in-world.js";
import type { World } from "./world.js";

const PAGE_BYTES = 512;

async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  await handle.sync();
  await handle.close();
}

async function writeSynced(path: string, content: string | Uint8Array): Promise<void> {
  await writeFile(path, content, { flush: true });
  await sync(dirname(path));
}

/** What is there after the power failed, in many worlds. */
async function afterPowerFailures<T>(
  before: (world: World) => Promise<void>,
  look: (world: World) => Promise<T>,
): Promise<T[]> {
  const seen: T[] = [];
  for (let seed = 1; seed <= 60; seed++) {
    await inWorld(
      async (world) => {
        await before(world);
        world.disk.losePower(world.random("loss"));
        seen.push(await look(world));
      },
      { seed },
    );
  }
  return seen;
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error) => error.code as string,
  );
const contentOf = (path: string) => readFile(path, "utf8").catch((error) => error.code as string);

describe("a power failure", () => {
  it("leaves what was synced, with the folder of its name", async () => {
    const seen = await afterPowerFailures(
      ({ disk }) => writeSynced(disk.path("file"), "content"),
      ({ disk }) => contentOf(disk.path("file")),
    );
    expect(new Set(seen)).toEqual(new Set(["content"]));
  });

  it("may take the name of a file whose folder was not synced, and the folder itself", async () => {
    const files = await afterPowerFailures(
      ({ disk }) => writeFile(disk.path("file"), "content", { flush: true }),
      ({ disk }) => contentOf(disk.path("file")),
    );
    expect(new Set(files)).toEqual(new Set(["content", "ENOENT"]));
    const folders = await afterPowerFailures(
      async ({ disk }) => {
        await mkdir(disk.path("folder"));
        await writeSynced(disk.path("folder/file"), "content");
      },
      ({ disk }) => contentOf(disk.path("folder/file")),
    );
    expect(new Set(folders)).toEqual(new Set(["content", "ENOENT"]));
  });

  it("tears what was not synced: each page is the old or the new one, or never came", async () => {
    const [before, after] = ["a", "b"].map((letter) => Buffer.alloc(4 * PAGE_BYTES, letter));
    const seen = await afterPowerFailures(
      async ({ disk }) => {
        await writeSynced(disk.path("file"), before as Buffer);
        await writeFile(disk.path("file"), Buffer.concat([after as Buffer, Buffer.alloc(PAGE_BYTES, "c")]));
      },
      async ({ disk }) => (await readFile(disk.path("file"))) as Buffer,
    );
    let mixed = 0;
    for (const content of seen) {
      const pages = Array.from({ length: Math.ceil(content.length / PAGE_BYTES) }, (_, page) =>
        content.toString("latin1", page * PAGE_BYTES, (page + 1) * PAGE_BYTES),
      );
      for (const [number, page] of pages.entries())
        expect(page).toMatch(number < 4 ? /^(a+|b+)$/ : /^(\0+|c+)$/);
      if (new Set(pages.slice(0, 4).map(([letter]) => letter)).size === 2) mixed += 1;
    }
    expect(mixed).toBeGreaterThan(10);
    expect(new Set(seen.map(({ length }) => length)).size).toBeGreaterThan(10);
  });

  it("undoes a rename that was not synced as one, and no other", async () => {
    const seen = await afterPowerFailures(
      async ({ disk }) => {
        await writeSynced(disk.path("file"), "old");
        await writeSynced(disk.path("draft"), "new");
        await rename(disk.path("draft"), disk.path("file"));
      },
      async ({ disk }) => `${await contentOf(disk.path("file"))} ${await contentOf(disk.path("draft"))}`,
    );
    expect(new Set(seen)).toEqual(new Set(["old new", "new ENOENT"]));
    const synced = await afterPowerFailures(
      async ({ disk }) => {
        await writeSynced(disk.path("draft"), "new");
        await rename(disk.path("draft"), disk.path("file"));
        await sync(disk.path("."));
      },
      ({ disk }) => contentOf(disk.path("file")),
    );
    expect(new Set(synced)).toEqual(new Set(["new"]));
  });

  it("may bring back what was removed without a sync", async () => {
    const seen = await afterPowerFailures(
      async ({ disk }) => {
        await writeSynced(disk.path("file"), "content");
        await rm(disk.path("file"));
      },
      ({ disk }) => contentOf(disk.path("file")),
    );
    expect(new Set(seen)).toEqual(new Set(["content", "ENOENT"]));
  });

  it("kills the processes of its machine, while the death of one leaves what it wrote", async () => {
    let [powerFailures, deaths] = [0, 0];
    for (let seed = 1; seed <= 40; seed++) {
      await inWorld(
        async (world) => {
          let content = "";
          const service = world.service("writer", async () => {
            content = await contentOf(world.disk.path("file"));
            await writeFile(world.disk.path("file"), "content");
            await access(world.disk.path("file"));
          });
          await service.ended;
          const failed = world.faults.some(({ name }) => name === "powerFailure");
          if (failed) powerFailures += 1;
          else if (world.trace.lines.some((line) => line.includes("dies before disk access"))) {
            deaths += 1;
            expect(content).toBe("content");
          }
        },
        { seed, maxFaults: 2, faults: { crash: 0.3, powerFailure: 0.3, diskFull: 0, syncFails: 0 } },
      );
    }
    expect(powerFailures).toBeGreaterThan(2);
    expect(deaths).toBeGreaterThan(2);
  });
});

describe("a disk that fails", () => {
  /** Runs worlds until one has the fault. */
  async function untilIt(name: "diskFull" | "syncFails", app: (world: World) => Promise<void>) {
    let seen = 0;
    for (let seed = 1; seed <= 20; seed++) {
      await inWorld(
        async (world) => {
          await world.service("writer", () => app(world)).ended;
          seen += world.faults.length;
        },
        { seed, maxFaults: 1, faults: { crash: 0, diskFull: 0, syncFails: 0, [name]: 1 } },
      );
    }
    expect(seen).toBeGreaterThan(5);
  }

  it("says that it is full after some of the bytes", async () => {
    const lengths = new Set<number>();
    await untilIt("diskFull", async ({ disk, faults }) => {
      const written = writeFile(disk.path("file"), "0123456789");
      const error = await written.then(
        () => undefined,
        (reason) => reason,
      );
      expect([error?.code, faults.length]).toEqual(error ? ["ENOSPC", 1] : [undefined, 0]);
      const content = await contentOf(disk.path("file"));
      expect("0123456789".startsWith(content)).toBe(true);
      if (error !== undefined) lengths.add(content.length);
    });
    expect(lengths.size).toBeGreaterThan(2);
  });

  it("has not synced what it does not confirm", async () => {
    const left = new Set<string>();
    await untilIt("syncFails", async (world) => {
      const { disk, faults } = world;
      const handle = await open(disk.path("file"), "w");
      await handle.writeFile("content");
      const error = await handle.sync().then(
        () => undefined,
        (reason) => reason,
      );
      if (error === undefined) return;
      expect([error.code, faults.length]).toEqual(["EIO", 1]);
      await sync(disk.path("."));
      disk.losePower(world.random("loss"));
      left.add(await contentOf(disk.path("file")));
    });
    expect(left.size).toBeGreaterThan(1);
  });

  it("confirms later what it has left out, which every open handle hears of once; what is written again is there", async () => {
    const content = "new".repeat(PAGE_BYTES);
    const left = { confirmed: new Set<boolean>(), again: new Set<boolean>() };
    for (const after of ["confirmed", "again"] as const) {
      await untilIt("syncFails", async (world) => {
        const path = world.disk.path("file");
        const [handle, other] = [await open(path, "w"), await open(path, "r")];
        await handle.writeFile(content);
        const failed = await codeOf(handle.sync());
        if (failed === undefined) return;
        expect([failed, await codeOf(other.sync()), await codeOf(other.sync())]).toEqual([
          "EIO",
          "EIO",
          undefined,
        ]);
        expect(await contentOf(path)).toBe(content);
        if (after === "again") await handle.write(Buffer.from(content), 0, content.length, 0);
        await handle.sync();
        await sync(path);
        await sync(dirname(path));
        world.disk.losePower(world.random("loss"));
        left[after].add((await contentOf(path)) === content);
      });
    }
    expect(left).toEqual({ confirmed: new Set([true, false]), again: new Set([true]) });
  });
});

describe("the simulated disk", () => {
  it("answers as a file system does", async () => {
    await inWorld(async ({ disk }) => {
      const path = (name: string) => disk.path(name);
      await expect(readFile(path("a"))).rejects.toMatchObject({ code: "ENOENT", syscall: "open" });
      await expect(writeFile(path("no/a"), "")).rejects.toMatchObject({ code: "ENOENT" });
      await mkdir(path("no/deep"), { recursive: true });
      await expect(mkdir(path("no"))).rejects.toMatchObject({ code: "EEXIST" });
      await expect(rmdir(path("no"))).rejects.toMatchObject({ code: "ENOTEMPTY" });
      await expect(readFile(path("no"))).rejects.toMatchObject({ code: "EISDIR" });
      await writeFile(path("a"), "12");
      await expect(open(path("a"), "wx")).rejects.toMatchObject({ code: "EEXIST" });
      await expect(mkdir(path("a/b"))).rejects.toMatchObject({ code: "ENOTDIR" });
      await expect(readdir(path("a"))).rejects.toMatchObject({ code: "ENOTDIR" });
      const handle = await open(path("a"), "a");
      await handle.appendFile("34");
      await handle.truncate(3);
      await handle.close();
      await link(path("a"), path("b"));
      expect((await stat(path("b"))).nlink).toBe(2);
      expect((await stat(path("b"))).ino).toBe((await stat(path("a"))).ino);
      expect((await stat(path("b"))).ino).not.toBe((await stat(path("no"))).ino);
      await expect(link(path("a"), path("b"))).rejects.toMatchObject({ code: "EEXIST" });
      await unlink(path("a"));
      expect(await contentOf(path("b"))).toBe("123");
      await truncate(path("b"), 1);
      expect(await contentOf(path("b"))).toBe("1");
      const made = await mkdtemp(path("made-"));
      expect(await readdir(disk.path("."))).toEqual(["b", made.slice(made.lastIndexOf("made-")), "no"]);
      await rm(path("gone"), { force: true });
      await expect(rm(path("gone"))).rejects.toMatchObject({ code: "ENOENT" });
    });
  });

  it("opens files for what numbers say", async () => {
    const { O_RDWR, O_APPEND, O_CREAT, O_EXCL, O_TRUNC, O_RDONLY } = constants;
    await inWorld(async ({ disk }) => {
      const path = disk.path("file");
      await expect(open(path, O_RDWR | O_APPEND)).rejects.toMatchObject({ code: "ENOENT" });
      await (await open(path, O_RDWR | O_CREAT | O_EXCL)).writeFile("one");
      await expect(open(path, O_RDWR | O_CREAT | O_EXCL)).rejects.toMatchObject({ code: "EEXIST" });
      await (await open(path, O_RDWR | O_APPEND)).write("two");
      expect(await contentOf(path)).toBe("onetwo");
      await open(path, O_RDWR | O_TRUNC);
      expect(await contentOf(path)).toBe("");
      await expect(open(disk.path("."), O_RDWR)).rejects.toMatchObject({ code: "EISDIR" });
      await open(disk.path("."), O_RDONLY);
    });
  });

  it("reads and writes at any place of an open file", async () => {
    await inWorld(async ({ disk }) => {
      await writeFile(disk.path("file"), "0123456789");
      const handle = await open(disk.path("file"), "r+");
      await handle.write(Buffer.from("abc"), 0, 3, 4);
      const buffer = Buffer.alloc(5);
      expect((await handle.read(buffer, 0, 5, 3)).bytesRead).toBe(5);
      expect(buffer.toString()).toBe("3abc7");
      await handle.close();
      expect(await contentOf(disk.path("file"))).toBe("0123abc789");
      const pieces = await createReadStream(disk.path("file"), { start: 2, end: 5 }).toArray();
      expect(Buffer.concat(pieces).toString()).toBe("23ab");
      const opened = await open(disk.path("file"), "r");
      expect(Buffer.concat(await createReadStream("", { fd: opened }).toArray()).toString()).toBe(
        "0123abc789",
      );
    });
  });

  it("is not the disk of this machine, which stays what it is", async () => {
    await inWorld(async ({ disk }) => {
      await writeFile(disk.path("file"), "content");
      expect(existsSync(disk.path("file"))).toBe(false);
      const folder = await mkdtemp(join(tmpdir(), "simulated-disk-"));
      await appendFile(join(folder, "file"), "real");
      expect(await readFile(join(folder, "file"), "utf8")).toBe("real");
      await rm(folder, { recursive: true });
    });
  });
});
