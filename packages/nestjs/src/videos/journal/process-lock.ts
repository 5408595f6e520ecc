import { existsSync, unwatchFile, watchFile } from "node:fs";
import { type FileHandle, link, open, readdir, readFile, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ConfigurationError } from "@model-gateway/core";
import { systemErrorCode } from "../../files/system-error-code.js";
import { pause } from "../../streams/pause.js";
import { repeatEvery } from "../../streams/repeat-every.js";
import { type LockMotion, LockObserver } from "./lock-observer.js";
import {
  type LockOwner,
  newOwner,
  type OwnerState,
  parseOwner,
  processFolder,
  stateOf,
} from "./lock-owner.js";

/** How often a lock that is waited for is looked at. */
const LOOK_INTERVAL_MS = 50;
/** Signs of life in one lease: some may be late, or get lost. */
const BEATS_PER_LEASE = 6;

/** How a lock is taken. Durations are milliseconds. */
export interface LockSettings {
  /** How long to wait for an owner that lives: in a restart the predecessor may still be about to end. */
  waitMs: number;
  /** After so long without a sign of life, an owner that cannot be asked for has lost the lock. */
  leaseMs: number;
  /** Told why it takes long. */
  warn: (message: string) => void;
}

/**
 * Tokens of the locks that this process holds; shared by all copies of this module, such as those before and after a
 * hot reload.
 */
const held: Set<string> = sharedSet(Symbol.for("@model-gateway/nestjs.process-locks"));

interface FoundLock {
  path: string;
  generation: number;
  owner: LockOwner;
  /** An owner that is `unsure`, and whose lock did not move for its lease, counts as dead. */
  state: OwnerState;
  /** Of an owner that is, or was, `unsure`. */
  motion?: LockMotion;
}

/**
 * Lets one process at a time use the files of a journal. A lock is a file `<path>.<generation>` that appears with
 * its content at once, by a hard link. Whoever has linked one looks around again, and gives way if anybody is
 * there: of two, the one that linked later sees the other. So however many find the same dead owner at once, none
 * of them takes the lock from another.
 *
 * The file's time moves as long as its owner runs. Where the owner cannot be asked for, one who waits takes the lock
 * over when it has stood still for the lease: by removing it, which the owner notices before anything it writes counts.
 */
export class ProcessLock {
  private readonly beating = new AbortController();
  private beatenAt = 0;
  private onLoss = () => {};
  /** Whose lock it was before that did not give it back: of a dead owner, or of one that gave no sign of life. */
  takenFrom: "nobody" | "dead" | "silent" = "nobody";

  private constructor(
    private readonly path: string,
    private readonly token: string,
    /** Kept open: tells whether the file is still there, and not a later one of the same name. */
    private readonly file: FileHandle,
  ) {}

  /**
   * Takes the lock, also from an owner that is dead. Waits for one that lives, and for one that may be dead.
   *
   * @param path of the lock, in a folder that exists
   * @throws ConfigurationError when somebody else still holds it after `waitMs`: who, and what to do
   */
  static async acquire(path: string, settings: LockSettings): Promise<ProcessLock> {
    const deadline = AbortSignal.timeout(settings.waitMs);
    const observer = new LockObserver();
    let isTold = false;
    for (;;) {
      const holder = (await findLocks(path, observer, settings)).find(({ state }) => state !== "dead");
      if (holder === undefined) {
        const lock = await ProcessLock.link(path, observer, settings);
        if (lock !== undefined) return lock;
      } else if (holder.motion === "unknown") {
        if (!isTold) settings.warn(doubt(path, holder, settings));
        isTold = true;
        await pause(LOOK_INTERVAL_MS);
      } else {
        if (deadline.aborted) throw refusal(path, holder);
        await (holder.motion === "moving" ? pause(LOOK_INTERVAL_MS) : change(holder, deadline));
      }
    }
  }

  /** @param callback called when the lock turns out to be gone, at the latest a sixth of the lease after it is */
  onLost(callback: () => void): void {
    this.onLoss = callback;
  }

  /** Whether the lock is still there: without it nothing keeps another process out. */
  async isHeld(): Promise<boolean> {
    return (await this.file.stat()).nlink > 0;
  }

  async release(): Promise<void> {
    this.beating.abort();
    // Another process's lock may have the name by now.
    if (await this.isHeld()) await rm(this.path, { force: true });
    held.delete(this.token);
    await this.file.close();
  }

  /** @returns undefined when somebody else was there first */
  private static async link(
    path: string,
    observer: LockObserver,
    settings: LockSettings,
  ): Promise<ProcessLock | undefined> {
    const before = await findLocks(path, observer, settings);
    const generation = Math.max(0, ...before.map((lock) => lock.generation)) + 1;
    const owner = newOwner(settings.leaseMs);
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
    const found = await findLocks(path, observer, settings);
    const others = found.filter(({ owner: { token } }) => token !== owner.token);
    if (others.some(({ state }) => state !== "dead")) {
      await lock.release();
      return undefined;
    }
    for (const dead of others) await rm(dead.path, { force: true });
    if (others.length > 0)
      lock.takenFrom = others.some(({ motion }) => motion === "silent") ? "silent" : "dead";
    void repeatEvery(settings.leaseMs / BEATS_PER_LEASE, lock.beating.signal, () => lock.beat());
    return lock;
  }

  private async beat(): Promise<void> {
    // Another time than before also when the clock was put back.
    this.beatenAt = Math.max(Date.now(), this.beatenAt + 1);
    const time = new Date(this.beatenAt);
    try {
      await this.file.utimes(time, time);
      if (await this.isHeld()) return;
    } catch {
      // Tried again soon; if it never works, somebody takes the lock over, and that is noticed.
      return;
    }
    this.beating.abort();
    this.onLoss();
  }
}

async function findLocks(
  path: string,
  observer: LockObserver,
  { leaseMs }: LockSettings,
): Promise<FoundLock[]> {
  const prefix = `${basename(path)}.`;
  const locks: FoundLock[] = [];
  for (const name of await readdir(dirname(path))) {
    const suffix = name.startsWith(prefix) ? name.slice(prefix.length) : "";
    if (!/^\d+$/.test(suffix)) continue;
    const file = join(dirname(path), name);
    const owner = await readOwner(file);
    // Released between the two looks.
    if (owner === undefined) continue;
    const found = { path: file, generation: Number(suffix), owner };
    const state = stateOf(owner, (token) => held.has(token));
    if (state !== "unsure") {
      locks.push({ ...found, state });
      continue;
    }
    const mark = await stat(file, { bigint: true }).then(
      ({ mtimeNs }) => String(mtimeNs),
      undefinedIfMissing,
    );
    if (mark === undefined) continue;
    const motion = observer.look(owner.token, mark, Math.max(leaseMs, owner.leaseMs ?? 0));
    locks.push({ ...found, state: motion === "silent" ? "dead" : state, motion });
  }
  return locks;
}

async function readOwner(path: string): Promise<LockOwner | undefined> {
  const text = await readFile(path, "utf8").catch(undefinedIfMissing);
  if (text === undefined) return undefined;
  const owner = parseOwner(text);
  if (owner !== undefined) return owner;
  throw new ConfigurationError(
    `${path} should say which process keeps video tasks in this folder, and does not. Delete it once you are ` +
      "sure that no process of this application runs.",
  );
}

function undefinedIfMissing(error: unknown): undefined {
  if (systemErrorCode(error) === "ENOENT") return undefined;
  throw error;
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

function doubt(path: string, { owner }: FoundLock, { leaseMs }: LockSettings): string {
  const seconds = Math.max(leaseMs, owner.leaseMs ?? 0) / 1_000;
  return (
    `Video tasks in ${dirname(path)} are kept by ${nameOf(owner)}, and whether that still runs cannot be asked from ` +
    `here. They are taken over when it gives no sign of life for ${seconds} seconds.`
  );
}

function refusal(path: string, { owner, state }: FoundLock): ConfigurationError {
  const holder =
    owner.pid === process.pid && state === "alive"
      ? "this process itself: another store, or an application that was not closed,"
      : nameOf(owner);
  return new ConfigurationError(
    `Video tasks in ${dirname(path)} are kept by ${holder} since ${owner.since}. Two at once would lose tasks ` +
      "that were paid for. Give each process a directory of its own (or each store a name of its own), " +
      "or share tasks between processes with the BullMQ store.",
  );
}

function nameOf({ pid, host }: LockOwner): string {
  return `process ${pid} on host ${host}`;
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
