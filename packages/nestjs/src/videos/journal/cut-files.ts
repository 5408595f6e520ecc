import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { syncFolder } from "../../files/sync-folder.js";
import { systemErrorCode } from "../../files/system-error-code.js";
import { type Remains, readTail } from "./read-tail.js";

/** Remains, and the file that keeps them. */
export interface KeptRemains extends Remains {
  path: string;
}

/** Files beside a journal that keep what could not be read of its end, byte for byte, until a person deletes them. */
export const cutFiles = {
  /** @returns the path of a new file */
  async keep(journalPath: string, bytes: Buffer): Promise<string> {
    for (let number = 1; ; number += 1) {
      const path = `${journalPath}.cut-${number}`;
      try {
        await writeFile(path, bytes, { flag: "wx", mode: 0o600, flush: true });
      } catch (error) {
        if (systemErrorCode(error) === "EEXIST") continue;
        await rm(path, { force: true });
        throw error;
      }
      await syncFolder(dirname(path));
      return path;
    }
  },

  /** What these files seem to tell, the oldest first. */
  async read(journalPath: string): Promise<KeptRemains[]> {
    const prefix = `${basename(journalPath)}.cut-`;
    const numbers = (await readdir(dirname(journalPath)))
      .map((name) => (name.startsWith(prefix) ? Number(name.slice(prefix.length)) : Number.NaN))
      .filter(Number.isInteger);
    const kept: KeptRemains[] = [];
    for (const number of numbers.sort((one, other) => one - other)) {
      const path = join(dirname(journalPath), `${prefix}${number}`);
      const { remains } = readTail(await readFile(path), () => true);
      kept.push(...remains.map((found) => ({ ...found, path })));
    }
    return kept;
  },
};
