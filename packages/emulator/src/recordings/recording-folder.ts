import { closeSync, mkdirSync, openSync, readFileSync, unlinkSync, writeSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { CallRecording } from "./call-recording.js";
import { formatRecording } from "./format-recording.js";

/** A recording with its media, on its way to the disk. */
export interface NewRecording {
  /** Below the folder; "" for the folder itself. */
  group: string;
  /** Without an extension. */
  name: string;
  recording: CallRecording;
  /** The files beside it, by their names. */
  files: ReadonlyMap<string, Uint8Array>;
}

const LOCK = ".recording-lock";
/** Folders that emulators of this process record to: a lock of this process that is not among them is left over. */
const held = new Set<string>();
const TIMES = /"(?:atMs|headMs)": ?\d+/g;

/** A folder that recordings are written to, by one emulator at a time. */
export class RecordingFolder {
  readonly path: string;
  readonly #failures: string[] = [];
  readonly #unlock: () => void;
  #writes: Promise<void> = Promise.resolve();

  /** @throws Error when it cannot be written to, or another emulator records to it */
  constructor(folder: string) {
    this.path = resolve(folder);
    try {
      mkdirSync(this.path, { recursive: true });
      this.#lock();
    } catch (error) {
      if (!(error as NodeJS.ErrnoException).code) throw error;
      throw new Error(
        `The folder ${this.path} cannot be recorded to: ${(error as Error).message}. Nothing was sent, and nothing paid for.`,
      );
    }
    held.add(this.path);
    this.#unlock = () => {
      held.delete(this.path);
      rmQuietly(join(this.path, LOCK));
    };
    process.once("exit", this.#unlock);
  }

  /** Puts a recording on its way; what becomes of it is told by `close`. */
  write(recording: NewRecording): void {
    this.#writes = this.#writes
      .then(() => save(this.path, recording))
      .catch((error: Error) => this.lose(recording.name, error));
  }

  /** Tells that there will be no recording: at once of the first, and of all in the end. */
  lose(name: string, { message }: Error): void {
    if (this.#failures.push(`${name}.json: ${message}`) > 1) return;
    process.emitWarning(
      `${message}. The answer was given, and paid for, and is not recorded in ${this.path}.`,
      "RecordingWarning",
    );
  }

  /** Leaves the folder to others. */
  release(): void {
    process.off("exit", this.#unlock);
    this.#unlock();
  }

  /** Waits until all is written. @throws Error that names what could not be */
  async close(): Promise<void> {
    await this.#writes;
    this.release();
    // Told once.
    const failures = this.#failures.splice(0);
    if (failures.length === 0) return;
    throw new Error(
      `${failures.length} recordings could not be written to ${this.path}; their answers were given, and paid for:\n${failures.join("\n")}`,
    );
  }

  #lock(): void {
    const file = join(this.path, LOCK);
    for (let attempt = 0; ; attempt++) {
      try {
        const descriptor = openSync(file, "wx");
        writeSync(descriptor, String(process.pid));
        closeSync(descriptor);
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
      const owner = Number(readQuietly(file));
      const isLeft = owner === process.pid ? !held.has(this.path) : !isAlive(owner);
      if (!isLeft || attempt > 0) {
        throw new Error(
          `The folder ${this.path} is recorded to by another emulator (process ${owner}): give each a folder of its own. If that process is none, delete ${file}. Nothing was sent, and nothing paid for.`,
        );
      }
      rmQuietly(file);
    }
  }
}

/** Media first, so that no recording names a file that is not there; each aside, then under its name. */
async function save(root: string, { group, name, recording, files }: NewRecording): Promise<void> {
  const folder = join(root, group);
  // Not what holds it: a folder that somebody took away stays away.
  if (group !== "") await mkdir(folder, { recursive: false }).catch(ignoreExisting);
  const text = formatRecording(recording);
  const file = `${name}.json`;
  const old = await readFile(join(folder, file), "utf8").catch(() => undefined);
  for (const [beside, bytes] of files) await replace(folder, beside, bytes);
  // Recorded again, nothing changes where nothing but the time has.
  if (old === undefined || old.replace(TIMES, "") !== text.replace(TIMES, ""))
    await replace(folder, file, text);
  for (const other of await readdir(folder)) {
    if (other.startsWith(`${name}.`) && other !== file && !files.has(other)) await rm(join(folder, other));
  }
}

async function replace(folder: string, name: string, content: Uint8Array | string): Promise<void> {
  const aside = join(folder, `.${name}.${process.pid}`);
  try {
    await writeFile(aside, content);
    await rename(aside, join(folder, name));
  } catch (error) {
    await rm(aside, { force: true }).catch(() => {});
    throw error;
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}

function readQuietly(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function rmQuietly(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // Somebody else took it away.
  }
}

function isAlive(pid: number): boolean {
  // An empty lock is one that is being written.
  if (!(pid > 0)) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
