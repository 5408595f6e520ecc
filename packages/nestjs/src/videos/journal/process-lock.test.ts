import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigurationError } from "@model-gateway/core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { compileChild, startChild } from "../../../test/child.js";
import { newOwner } from "./lock-owner.js";
import { ProcessLock } from "./process-lock.js";

let program: Awaited<ReturnType<typeof compileChild>>;
beforeAll(async () => {
  program = await compileChild("lock-holder");
});
afterAll(() => program.remove());

async function useFolder() {
  const folder = await mkdtemp(join(tmpdir(), "process-lock-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, "tasks.lock");
  const files = () => readdir(folder);
  const holder = (waitMs = 0) => startChild(program.file, { path, waitMs });
  return { folder, path, files, holder };
}

/** What a lock file would say of a process. */
const owner = (fields: object) =>
  JSON.stringify({ pid: 1, host: hostname(), token: "t", since: "2026-01-01T00:00:00.000Z", ...fields });

describe("a lock", () => {
  it("is a file that says who holds it, readable by its owner only", async () => {
    const { path, files } = await useFolder();
    const lock = await ProcessLock.acquire(path, 0);
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
    const lock = await ProcessLock.acquire(path, 0);
    await expect(ProcessLock.acquire(path, 0)).rejects.toThrow(/kept by this process itself/);
    await lock.release();
    await (await ProcessLock.acquire(path, 0)).release();
  });

  it("is refused while another process lives, naming it", async () => {
    const { path, holder, files } = await useFolder();
    const child = holder();
    expect(await child.next()).toBe("held");
    const refused = ProcessLock.acquire(path, 0);
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
    const lock = await ProcessLock.acquire(path, 0);
    expect(await files()).toEqual(["tasks.lock.2"]);
    await lock.release();
  });

  it("waits for a predecessor that is about to give it back", async () => {
    const { path, holder } = await useFolder();
    const child = holder();
    expect(await child.next()).toBe("held");
    const acquired = ProcessLock.acquire(path, 60_000);
    child.send({ end: true });
    await (await acquired).release();
  });

  // What ends without a word is noticed by its folder in /proc; elsewhere only when the wait is over.
  it.runIf(process.platform === "linux")("waits for a predecessor that is killed", async () => {
    const { path, holder } = await useFolder();
    const child = holder();
    expect(await child.next()).toBe("held");
    const acquired = ProcessLock.acquire(path, 60_000);
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
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => ProcessLock.acquire(path, 0)));
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
        const lock = await ProcessLock.acquire(path, 0).catch(undefinedIfHeld);
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
    const lock = await ProcessLock.acquire(path, 0);
    await rm(`${path}.1`);
    expect(await lock.isHeld()).toBe(false);
    const successor = await ProcessLock.acquire(path, 0);
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
  const acquire = async (fields: object) => {
    const { path } = await useFolder();
    await writeFile(`${path}.1`, owner(fields));
    const lock = await ProcessLock.acquire(path, 0);
    await lock.release();
  };

  it("is dead when it has our number and is not this process, as in a container that was restarted", async () => {
    await acquire({ pid: process.pid, incarnation: "another boot/1" });
    await acquire({ pid: process.pid });
  });

  it.runIf(process.platform === "linux")(
    "lives when it is this process, although this copy of the module does not know the lock",
    async () => {
      await expect(acquire(newOwner())).rejects.toThrow("this process itself");
    },
  );

  it("is dead when nobody has its number", async () => {
    await acquire({ pid: 2 ** 30 });
  });

  it.runIf(process.platform === "linux")("is dead when somebody else has its number now", async () => {
    await acquire({ pid: process.ppid, incarnation: "another boot/1" });
  });

  it("lives when somebody has its number and the system tells no more", async () => {
    await expect(acquire({ pid: process.ppid })).rejects.toThrow(`process ${process.ppid}`);
  });

  it("cannot be judged from another host: the error names the file to delete", async () => {
    await expect(acquire({ host: "elsewhere" })).rejects.toThrow(
      /process 1 on host elsewhere .*If you are sure that it does not, delete .*tasks\.lock\.1\./,
    );
  });

  it("cannot be judged when the file says nothing", async () => {
    const { path } = await useFolder();
    await writeFile(`${path}.1`, "");
    await expect(ProcessLock.acquire(path, 0)).rejects.toThrow(/tasks\.lock\.1 should say which process/);
  });
});
