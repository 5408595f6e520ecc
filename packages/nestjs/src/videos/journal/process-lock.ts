import { existsSync, unwatchFile, watchFile } from "node:fs";
import { type FileHandle, link, open, readdir, readFile, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ConfigurationError } from "@model-gateway/core";
import {
  type LockOwner,
  newOwner,
  type OwnerState,
  parseOwner,
  processFolder,
  stateOf,
} from "./lock-owner.js";
import { systemErrorCode } from "./system-error-code.js";

/** How often a lock that is waited for is looked at. */
const LOOK_INTERVAL_MS = 50;

/**
 * Tokens of the locks that this process holds; shared by all copies of this module, such as those before and after a
 * hot reload.
 */
const held: Set<string> = sharedSet(Symbol.for("@model-gateway/nestjs.process-locks"));

interface FoundLock {
  path: string;
  generation: number;
  owner: LockOwner;
  state: OwnerState;
}

/**
 * Lets one process at a time use the files of a journal. A lock is a file `<path>.<generation>` that appears with
 * its content at once, by a hard link. Whoever has linked one looks around again, and gives way if anybody is
 * there: of two, the one that linked later sees the other. So however many find the same dead owner at once, none
 * of them takes the lock from another.
 */
export class ProcessLock {
  private constructor(
    private readonly path: string,
    private readonly token: string,
    /** Kept open: tells whether the file is still there, and not a later one of the same name. */
    private readonly file: FileHandle,
  ) {}

  /**
   * Takes the lock, also from an owner that is dead. Waits for one that lives: in a restart the predecessor may
   * still be about to end.
   *
   * @param path of the lock, in a folder that exists
   * @throws ConfigurationError when somebody else still holds it after `waitMs` milliseconds: who, and what to do
   */
  static async acquire(path: string, waitMs: number): Promise<ProcessLock> {
    const deadline = AbortSignal.timeout(waitMs);
    for (;;) {
      const holder = (await findLocks(path)).find(({ state }) => state !== "dead");
      const lock = holder === undefined ? await ProcessLock.link(path) : undefined;
      if (lock !== undefined) return lock;
      if (holder === undefined) continue;
      if (deadline.aborted) throw refusal(path, holder);
      await change(holder, deadline);
    }
  }

  /** Whether the lock is still there: without it nothing keeps another process out. */
  async isHeld(): Promise<boolean> {
    return (await this.file.stat()).nlink > 0;
  }

  async release(): Promise<void> {
    // Another process's lock may have the name by now.
    if (await this.isHeld()) await rm(this.path, { force: true });
    held.delete(this.token);
    await this.file.close();
  }

  /** @returns undefined when somebody else was there first */
  private static async link(path: string): Promise<ProcessLock | undefined> {
    const generation = Math.max(0, ...(await findLocks(path)).map((lock) => lock.generation)) + 1;
    const owner = newOwner();
    const draft = `${path}.${owner.token}`;
    const lock = new ProcessLock(`${path}.${generation}`, owner.token, await open(draft, "wx", 0o600));
    held.add(owner.token);
    try {
      await lock.file.writeFile(`${JSON.stringify(owner)}\n`);
      await lock.file.sync();
      await link(draft, lock.path).catch(explainMissingLinks);
    } catch (error) {
      await rm(draft, { force: true });
      await lock.release();
      if (systemErrorCode(error) === "EEXIST") return undefined;
      throw error;
    }
    await rm(draft, { force: true });
    const others = (await findLocks(path)).filter(({ owner: { token } }) => token !== owner.token);
    if (others.some(({ state }) => state !== "dead")) {
      await lock.release();
      return undefined;
    }
    for (const dead of others) await rm(dead.path, { force: true });
    return lock;
  }
}

async function findLocks(path: string): Promise<FoundLock[]> {
  const prefix = `${basename(path)}.`;
  const locks: FoundLock[] = [];
  for (const name of await readdir(dirname(path))) {
    const suffix = name.startsWith(prefix) ? name.slice(prefix.length) : "";
    if (!/^\d+$/.test(suffix)) continue;
    const file = join(dirname(path), name);
    const owner = await readOwner(file);
    // Released between the two looks.
    if (owner === undefined) continue;
    locks.push({
      path: file,
      generation: Number(suffix),
      owner,
      state: stateOf(owner, (token) => held.has(token)),
    });
  }
  return locks;
}

async function readOwner(path: string): Promise<LockOwner | undefined> {
  const text = await readFile(path, "utf8").catch((error) => {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const owner = parseOwner(text);
  if (owner !== undefined) return owner;
  throw new ConfigurationError(
    `${path} should say which process keeps video tasks in this folder, and does not. Delete it once you are ` +
      "sure that no process of this application runs.",
  );
}

/** Resolves when the lock or its owner may be gone, and at the latest when the deadline has passed. */
function change({ path, owner }: FoundLock, deadline: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    // Looking for what was never there would end at once.
    const watched = [path, processFolder(owner.pid)].filter((file) => existsSync(file));
    if (!watched.includes(path)) return resolve();
    const done = () => {
      for (const file of watched) unwatchFile(file, done);
      deadline.removeEventListener("abort", done);
      resolve();
    };
    if (deadline.aborted) return done();
    deadline.addEventListener("abort", done);
    // Looks instead of listening: a process that is killed tells nobody, and network drives tell nothing.
    for (const file of watched) watchFile(file, { interval: LOOK_INTERVAL_MS }, done);
  });
}

function refusal(path: string, { path: file, owner, state }: FoundLock): ConfigurationError {
  const holder =
    owner.pid === process.pid && state === "alive"
      ? "this process itself: another store, or an application that was not closed,"
      : `process ${owner.pid} on host ${owner.host}`;
  const doubt =
    state === "foreign"
      ? `Whether it still runs cannot be told from another host. If you are sure that it does not, delete ${file}. `
      : "";
  return new ConfigurationError(
    `Video tasks in ${dirname(path)} are kept by ${holder} since ${owner.since}. Two at once would lose tasks ` +
      `that were paid for. ${doubt}Give each process a directory of its own (or each store a name of its own), ` +
      "or share tasks between processes with the BullMQ store.",
  );
}

function explainMissingLinks(error: unknown): never {
  if (["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(systemErrorCode(error))) {
    throw new ConfigurationError(
      "The file system of the folder for video tasks has no hard links, so nothing there could keep two " +
        "processes apart. Set the store's option directory to a folder on a local disk.",
      { cause: error },
    );
  }
  throw error;
}

function sharedSet(symbol: symbol): Set<string> {
  const shared = globalThis as { [key: symbol]: Set<string> | undefined };
  shared[symbol] ??= new Set();
  return shared[symbol];
}
