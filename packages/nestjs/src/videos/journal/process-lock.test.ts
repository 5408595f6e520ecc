import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigurationError } from "@model-gateway/core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { compileChild, startChild } from "../../../test/child.js";
import { pause } from "../../streams/pause.js";
import { newOwner } from "./lock-owner.js";
import { type LockSettings, ProcessLock } from "./process-lock.js";

let program: Awaited<ReturnType<typeof compileChild>>;
beforeAll(async () => {
  program = await compileChild("lock-holder");
});
afterAll(() => program.remove());

/** Longer than any test. */
const LEASE_MS = 600_000;

function acquire(path: string, settings: Partial<LockSettings> = {}): Promise<ProcessLock> {
  return ProcessLock.acquire(path, { waitMs: 0, leaseMs: LEASE_MS, warn: () => {}, ...settings });
}

async function useFolder() {
  const folder = await mkdtemp(join(tmpdir(), "process-lock-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, "tasks.lock");
  const files = () => readdir(folder);
  const holder = (waitMs = 0) => startChild(program.file, { path, waitMs, leaseMs: LEASE_MS });
  return { folder, path, files, holder };
}

/** What a lock file would say of a process. */
const owner = (fields: object) =>
  JSON.stringify({ pid: 1, host: hostname(), token: "t", since: "2026-01-01T00:00:00.000Z", ...fields });

describe("a lock", () => {
  it("is a file that says who holds it, readable by its owner only", async () => {
    const { path, files } = await useFolder();
    const lock = await acquire(path);
    expect(await files()).toEqual(["tasks.lock.1"]);
    expect(JSON.parse(await readFile(`${path}.1`, "utf8"))).toMatchObject({
      pid: process.pid,
      host: hostname(),
    });
    expect(await lock.isHeld()).toBe(true);
    await lock.release();
    expect(await files()).toEqual([]);
  });

  it("is refused to a second store of the same process", async () => {
    const { path } = await useFolder();
    const lock = await acquire(path);
    await expect(acquire(path)).rejects.toThrow(/kept by this process itself/);
    await lock.release();
    await (await acquire(path)).release();
  });

  it("is refused while another process lives, naming it", async () => {
    const { path, holder, files } = await useFolder();
    const child = holder();
    expect(await child.next()).toBe("held");
    const refused = acquire(path);
    await expect(refused).rejects.toThrow(ConfigurationError);
    await expect(refused).rejects.toThrow(
      new RegExp(`kept by process ${child.process.pid} on host .*BullMQ store`),
    );
    expect(await files()).toEqual(["tasks.lock.1"]);
  });

  it("passes on when its process was killed", async () => {
    const { path, holder, files } = await useFolder();
    const child = holder();
    expect(await child.next()).toBe("held");
    child.process.kill("SIGKILL");
    await child.exit;
    const lock = await acquire(path);
    expect(lock.takenFrom).toBe("dead");
    expect(await files()).toEqual(["tasks.lock.2"]);
    await lock.release();
  });

  it("waits for a predecessor that is about to give it back", async () => {
    const { path, holder } = await useFolder();
    const child = holder();
    expect(await child.next()).toBe("held");
    const acquired = acquire(path, { waitMs: 60_000 });
    child.send({ end: true });
    await (await acquired).release();
  });

  // What ends without a word is noticed by its folder in /proc; elsewhere only when the wait is over.
  it.runIf(process.platform === "linux")("waits for a predecessor that is killed", async () => {
    const { path, holder } = await useFolder();
    const child = holder();
    expect(await child.next()).toBe("held");
    const acquired = acquire(path, { waitMs: 60_000 });
    child.process.kill("SIGKILL");
    await (await acquired).release();
  });

  it("goes to one of many that find the same dead owner at once", async () => {
    const { path, holder, files } = await useFolder();
    for (let round = 0; round < 3; round += 1) {
      await writeFile(`${path}.${round + 7}`, owner({ pid: 2 ** 30 }));
      const children = Array.from({ length: 8 }, () => holder());
      const answers = await Promise.all(children.map((child) => child.next()));
      expect(answers.filter((answer) => answer === "held")).toHaveLength(1);
      expect(await files()).toHaveLength(1);
      for (const child of children) child.process.kill("SIGKILL");
      await Promise.all(children.map((child) => child.exit));
      for (const file of await files()) await rm(`${path}.${file.split(".").at(-1)}`);
    }
  });

  it("goes to one of many in the same process", async () => {
    const { path, files } = await useFolder();
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => acquire(path)));
    const [lock, ...more] = outcomes.flatMap((outcome) =>
      outcome.status === "fulfilled" ? [outcome.value] : [],
    );
    expect(more).toEqual([]);
    expect(await files()).toHaveLength(1);
    await lock?.release();
  });

  it("is never with two, however often it changes hands", async () => {
    const { path } = await useFolder();
    let holders = 0;
    const worker = async () => {
      for (let round = 0; round < 15; ) {
        const lock = await acquire(path).catch(undefinedIfHeld);
        if (lock === undefined) continue;
        holders += 1;
        expect(holders).toBe(1);
        expect(await lock.isHeld()).toBe(true);
        holders -= 1;
        await lock.release();
        round += 1;
      }
    };
    await Promise.all(Array.from({ length: 6 }, worker));
  });

  it("notices that its file was removed, and leaves the file of a successor alone", async () => {
    const { path, files } = await useFolder();
    const lock = await acquire(path);
    await rm(`${path}.1`);
    expect(await lock.isHeld()).toBe(false);
    const successor = await acquire(path);
    await lock.release();
    expect(await files()).toEqual(["tasks.lock.1"]);
    expect(await successor.isHeld()).toBe(true);
    await successor.release();
  });
});

function undefinedIfHeld(error: Error): undefined {
  if (!error.message.includes("kept by this process itself")) throw error;
}

describe("the owner that a lock file names", () => {
  const acquireFrom = async (fields: object) => {
    const { path } = await useFolder();
    await writeFile(`${path}.1`, owner(fields));
    const lock = await acquire(path);
    await lock.release();
  };

  it("is dead when it has our number and is not this process, as in a container that was restarted", async () => {
    await acquireFrom({ pid: process.pid, incarnation: "another boot/1" });
    await acquireFrom({ pid: process.pid });
  });

  it.runIf(process.platform === "linux")(
    "lives when it is this process, although this copy of the module does not know the lock",
    async () => {
      await expect(acquireFrom(newOwner(LEASE_MS))).rejects.toThrow("this process itself");
    },
  );

  it("is dead when nobody has its number", async () => {
    await acquireFrom({ pid: 2 ** 30 });
  });

  it.runIf(process.platform === "linux")("is dead when somebody else has its number now", async () => {
    await acquireFrom({ pid: process.ppid, incarnation: "another boot/1" });
  });

  it("cannot be judged when the file says nothing", async () => {
    const { path } = await useFolder();
    await writeFile(`${path}.1`, "");
    await expect(acquire(path)).rejects.toThrow(/tasks\.lock\.1 should say which process/);
  });
});

describe("a lock of an owner that cannot be asked", () => {
  const FOREIGN = owner({ host: "elsewhere", token: "theirs" });

  async function useForeignLock() {
    const folder = await useFolder();
    const file = `${folder.path}.1`;
    await writeFile(file, FOREIGN);
    return { ...folder, file };
  }

  it("is taken over when it stands still for the lease, and a word is said before", async () => {
    const { path, files } = await useForeignLock();
    const warnings: string[] = [];
    const lock = await acquire(path, { leaseMs: 300, warn: (message) => warnings.push(message) });
    expect(warnings).toEqual([
      expect.stringMatching(/kept by process 1 on host elsewhere, .*no sign of life for 0\.3 seconds/),
    ]);
    expect(lock.takenFrom).toBe("silent");
    expect(await files()).toEqual(["tasks.lock.2"]);
    await lock.release();
  });

  it("is refused as soon as it moves", async () => {
    const { path, file, files } = await useForeignLock();
    let time = 0;
    const moving = setInterval(() => void utimes(file, ++time, time), 20);
    onTestFinished(() => clearInterval(moving));
    await expect(acquire(path)).rejects.toThrow(/kept by process 1 on host elsewhere since/);
    expect(await files()).toEqual(["tasks.lock.1"]);
  });

  it("is waited for when it moves and then stands still, and passes on when it is given back", async () => {
    const { path, file } = await useForeignLock();
    const acquired = acquire(path, { waitMs: 60_000 });
    await utimes(file, 1, 1);
    await rm(file);
    await (await acquired).release();
  });

  it("has the lease that its owner says, when that is longer", async () => {
    const { path, file } = await useForeignLock();
    await writeFile(file, owner({ host: "elsewhere", leaseMs: LEASE_MS }));
    let acquired: Promise<ProcessLock> | undefined;
    const warning = await new Promise<string>((resolve) => {
      acquired = acquire(path, { leaseMs: 300, warn: resolve });
    });
    expect(warning).toMatch(/for 600 seconds/);
    // Longer than the lease of the one who waits.
    await pause(1_000);
    await utimes(file, 1, 1);
    await expect(acquired).rejects.toThrow(/kept by process 1 on host elsewhere/);
  });

  it("goes to one of many that watch it", async () => {
    const { path, files } = await useForeignLock();
    const children = Array.from({ length: 4 }, () =>
      startChild(program.file, { path, waitMs: 0, leaseMs: 1_000 }),
    );
    const answers = await Promise.all(children.map((child) => child.next()));
    expect(answers.filter((answer) => answer === "held")).toHaveLength(1);
    expect(await files()).toHaveLength(1);
  });

  it("moves as long as its owner runs, also when the clock stands still, and tells the owner when it is gone", async () => {
    const { path } = await useFolder();
    const clock = vi.spyOn(Date, "now").mockReturnValue(1_000_000);
    onTestFinished(() => clock.mockRestore());
    const lock = await acquire(path, { leaseMs: 300 });
    onTestFinished(() => lock.release());
    const lost = new Promise<void>((resolve) => lock.onLost(resolve));
    const seen = new Set<number>();
    await expect
      .poll(async () => {
        seen.add((await stat(`${path}.1`)).mtimeMs);
        return seen.size;
      })
      .toBeGreaterThan(3);
    await rm(`${path}.1`);
    await lost;
  });
});
