import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { isRecord } from "../json/is-record.js";
import { PRIVATE_FILE } from "./write-aside.js";

/** Folders that this process has locked. */
const held = new Set<string>();
/** How often who holds a lock says so, for those who cannot see its process. */
const SIGN_OF_LIFE_MS = 5_000;
const SILENT_AFTER_MS = 20_000;

/** Keeps other emulators from a folder: a file with the process that uses it. Of a process that is gone it counts no more. */
export class FolderLock {
  private readonly path: string;
  private readonly key: string;
  private readonly text: string;
  private released = false;
  private readonly timer: ReturnType<typeof setInterval>;

  /** @throws Error when another emulator uses the folder */
  constructor(folder: string) {
    this.key = resolve(folder);
    this.path = join(folder, "lock");
    this.text = JSON.stringify({
      pid: process.pid,
      host: hostname(),
      started: startOf(process.pid),
      id: randomUUID(),
    });
    if (held.has(this.key)) throw inUse(folder, "another emulator of this process");
    this.take(folder);
    held.add(this.key);
    this.timer = setInterval(() => this.giveSign(), SIGN_OF_LIFE_MS);
    this.timer.unref();
  }

  release(): void {
    if (this.released) return;
    this.released = true;
    clearInterval(this.timer);
    held.delete(this.key);
    if (readText(this.path) === this.text) rmSync(this.path, { force: true });
  }

  private take(folder: string): void {
    if (this.create()) return;
    const found = readText(this.path) ?? "";
    const user = userOf(found, this.path);
    if (user !== undefined) throw inUse(folder, user);
    // Two may find it dead at once: what was moved away is looked at again.
    const aside = `${this.path}.${randomUUID()}.tmp`;
    try {
      renameSync(this.path, aside);
      if (readText(aside) !== found) linkSync(aside, this.path);
    } catch {
      // Somebody was faster.
    }
    rmSync(aside, { force: true });
    if (!this.create()) throw inUse(folder, "another emulator, which was faster");
  }

  private create(): boolean {
    // Whole from its first moment: who ends in the middle would leave a lock of nobody.
    const aside = `${this.path}.${randomUUID()}.tmp`;
    try {
      writeFileSync(aside, this.text, { flag: "wx", mode: PRIVATE_FILE });
      linkSync(aside, this.path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw error;
    } finally {
      rmSync(aside, { force: true });
    }
  }

  private giveSign(): void {
    try {
      const now = new Date();
      utimesSync(this.path, now, now);
    } catch {
      // The folder is gone, and nobody else can want it.
    }
  }
}

/** Who a lock is of; undefined when they are gone. */
function userOf(text: string, path: string): string | undefined {
  const lock = parse(text);
  const pid = lock["pid"];
  if (typeof pid !== "number" || !Number.isInteger(pid) || pid <= 0) {
    // Nobody writes such a lock; somebody may have put it there to keep others away.
    return isSilent(path) ? undefined : `whoever wrote ${path}`;
  }
  if (lock["host"] !== hostname()) {
    return isSilent(path) ? undefined : `the process ${pid} of the machine ${String(lock["host"])}`;
  }
  if (!isAlive(pid)) return undefined;
  // A number is given again, also that of this process: who started at another time is somebody else.
  const started = startOf(pid);
  const isAnother = typeof lock["started"] === "string" && started !== null && started !== lock["started"];
  // A thread of this process, or another copy of this code in it, is one that uses the folder, too.
  return isAnother ? undefined : pid === process.pid ? "this process" : `the process ${pid}`;
}

function parse(text: string): Record<string, unknown> {
  try {
    const lock: unknown = JSON.parse(text);
    return isRecord(lock) ? lock : {};
  } catch {
    return {};
  }
}

function isSilent(path: string): boolean {
  try {
    return Date.now() - statSync(path).mtimeMs > SILENT_AFTER_MS;
  } catch {
    return true;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** What tells a process from another of the same number, where the system says so. */
function startOf(pid: number): string | null {
  // The name of the program stands in brackets, and may hold anything.
  const stat = readText(`/proc/${pid}/stat`)?.replace(/^.*\)/s, "").trim().split(" ");
  const ticks = stat?.[19];
  return ticks === undefined ? null : `${readText("/proc/sys/kernel/random/boot_id")?.trim()}/${ticks}`;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function inUse(folder: string, user: string): Error {
  return new Error(
    `The data folder ${folder} is in use by ${user}; two emulators would overwrite each other's state. Stop the other, or give this one a folder of its own. If you are sure that there is none, delete ${join(folder, "lock")}.`,
  );
}
