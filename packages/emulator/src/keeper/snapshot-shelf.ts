import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { writeAside } from "../persistence/write-aside.js";
import { Refusal } from "../state/refusal.js";

/** A state that was put aside under a name. */
export interface StateSnapshot {
  name: string;
  /** In real milliseconds since the epoch. */
  savedAt: number;
  /** Of its JSON. */
  bytes: number;
}

/** No name leads out of the folder, and no two are one where case does not count. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
/** Some names, such as `nul`, are no files everywhere. */
const PREFIX = "snapshot-";
const SUFFIX = ".json";

/** States that were put aside, as JSON: in files where there is a folder, else in memory. */
export class SnapshotShelf {
  private readonly folder: string | undefined;
  private readonly texts = new Map<string, { text: string; savedAt: number }>();

  constructor(folder: string | undefined) {
    this.folder = folder;
  }

  /** In place of the one of that name. @throws TypeError for a name that is none */
  save(name: string, text: string): void {
    const path = this.pathOf(name);
    if (path === undefined) {
      this.texts.set(name, { text, savedAt: Date.now() });
      return;
    }
    try {
      mkdirSync(this.folder ?? "", { recursive: true, mode: 0o700 });
      writeAside(path, [text]);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(
        `The snapshot "${name}" could not be written (${reason}); what was there is still there.`,
      );
    }
  }

  /** @throws TypeError when there is none of that name */
  read(name: string): string {
    const path = this.pathOf(name);
    const text = path === undefined ? this.texts.get(name)?.text : readText(path);
    if (text === undefined) throw Refusal.missing(`There is no snapshot "${name}".`);
    return text;
  }

  /** By name. */
  list(): StateSnapshot[] {
    const found = this.folder === undefined ? this.inMemory() : inFiles(this.folder);
    return found.sort((left, right) => (left.name < right.name ? -1 : 1));
  }

  /** Returns whether there was one. */
  remove(name: string): boolean {
    const path = this.pathOf(name);
    if (path === undefined) return this.texts.delete(name);
    const existed = readText(path) !== undefined;
    rmSync(path, { force: true });
    return existed;
  }

  private inMemory(): StateSnapshot[] {
    return [...this.texts].map(([name, { text, savedAt }]) => ({
      name,
      savedAt,
      bytes: Buffer.byteLength(text),
    }));
  }

  private pathOf(name: string): string | undefined {
    if (!NAME.test(name)) {
      throw new Refusal(
        `The name of a snapshot is of lower-case letters, digits, ".", "_" and "-", begins with a letter or digit, and has at most 64 of them (got "${name.slice(0, 64)}").`,
      );
    }
    return this.folder === undefined ? undefined : join(this.folder, PREFIX + name + SUFFIX);
  }
}

function inFiles(folder: string): StateSnapshot[] {
  return namesIn(folder).flatMap((file) => {
    const name = file.slice(PREFIX.length, -SUFFIX.length);
    if (!file.startsWith(PREFIX) || !file.endsWith(SUFFIX) || !NAME.test(name)) return [];
    const { mtimeMs, size } = statSync(join(folder, file));
    return [{ name, savedAt: Math.floor(mtimeMs), bytes: size }];
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Nothing was saved yet.
    return [];
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
