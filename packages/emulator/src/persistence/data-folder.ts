import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { KeptChange } from "./change-log.js";
import { FolderLock } from "./folder-lock.js";
import type { KeptEntry } from "./kept-entry.js";
import { LargeTexts } from "./large-texts.js";
import { StateFile } from "./state-file.js";
import { writeAside } from "./write-aside.js";

/** The file of a data folder that holds the state. */
export const STATE_FILE = "state.jsonl";
const IMPORTED_FILE = "imported.json";
const PRIVATE_FOLDER = 0o700;

/**
 * The folder of one emulator: `state.jsonl`, the large texts of it in `files/`, what was imported in `imported.json`,
 * `snapshots/`, and rendered media in `media/`. Only its owner may look into it.
 */
export class DataFolder {
  readonly path: string;
  /** What it held when it was opened; undefined when it was new. */
  readonly saved: readonly KeptEntry[] | undefined;
  private readonly lock: FolderLock;
  private readonly state: StateFile;

  /** @throws Error when it cannot be written, is in use, or holds what cannot be read: nothing of it was changed then */
  constructor(path: string) {
    this.path = path;
    try {
      mkdirSync(path, { recursive: true, mode: PRIVATE_FOLDER });
    } catch (error) {
      throw unusable(path, error);
    }
    closeToOthers(path);
    this.lock = locked(path);
    try {
      sweep(path);
      this.state = new StateFile(join(path, STATE_FILE), new LargeTexts(join(path, "files")));
      this.saved = this.state.read();
    } catch (error) {
      this.lock.release();
      throw isOfSystem(error) ? unusable(path, error) : error;
    }
  }

  /** Replaces the state. @throws Error when it cannot be written; the folder holds the one before then */
  rewrite(entries: Iterable<KeptEntry>): void {
    try {
      this.state.rewrite(entries);
    } catch (error) {
      throw unusable(this.path, error);
    }
  }

  /** What was imported, as JSON; undefined when nothing was. */
  get imported(): string | undefined {
    const path = join(this.path, IMPORTED_FILE);
    return existsSync(path) ? readFileSync(path, "utf8") : undefined;
  }

  /** @throws Error as `rewrite` */
  keepImported(text: string | undefined): void {
    const path = join(this.path, IMPORTED_FILE);
    try {
      if (text === undefined) rmSync(path, { force: true });
      else writeAside(path, [text]);
    } catch (error) {
      throw unusable(this.path, error);
    }
  }

  append(changes: readonly KeptChange[]): void {
    this.state.append(changes);
  }

  /** Whether it is time to write the state anew. */
  get isBloated(): boolean {
    return this.state.isBloated;
  }

  close(): void {
    this.state.close();
    this.lock.release();
  }
}

/** Of a folder of somebody else's that cannot be said; its files are for their owner only in any case. */
function closeToOthers(path: string): void {
  try {
    chmodSync(path, PRIVATE_FOLDER);
  } catch {
    // Whether it can be written is found out by writing.
  }
}

function locked(path: string): FolderLock {
  try {
    return new FolderLock(path);
  } catch (error) {
    throw isOfSystem(error) ? unusable(path, error) : error;
  }
}

/** Takes away what a process left that ended while it wrote aside. */
function sweep(path: string): void {
  for (const folder of [path, join(path, "files"), join(path, "snapshots")]) {
    for (const name of namesIn(folder))
      if (name.endsWith(".tmp")) rmSync(join(folder, name), { force: true });
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "code" in error && "syscall" in error;
}

function unusable(path: string, error: unknown): Error {
  const reason = error instanceof Error ? error.message : String(error);
  return new Error(
    `The data folder ${path} cannot be used (${reason}). Nothing of the emulator's state would be kept: give it a folder that it may write, on a disk with room.`,
    { cause: error },
  );
}
