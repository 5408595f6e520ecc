import { randomUUID } from "node:crypto";
import { type FileHandle, open, readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { encodeLine, headerLine } from "./journal-format.js";

const CHUNK_BYTES = 1_048_576;

/** The file that is to replace a journal; nothing of it counts before it has the journal's name. */
export class JournalDraft {
  private constructor(
    readonly path: string,
    readonly file: FileHandle,
    /** In bytes. */
    readonly length: number,
    readonly lines: number,
  ) {}

  /** Writes a whole journal beside the one at `path`. Rejects, and leaves nothing behind, when there is no room. */
  static async write(path: string, entries: Iterable<string>): Promise<JournalDraft> {
    // A name of its own: a process that lost its lock meanwhile must not get hold of its successor's.
    const draftPath = `${path}.new-${randomUUID()}`;
    const file = await open(draftPath, "ax", 0o600);
    let length = 0;
    let lines = 0;
    let chunk: Buffer[] = [headerLine()];
    let chunkBytes = headerLine().length;
    const flush = async () => {
      await file.appendFile(Buffer.concat(chunk, chunkBytes));
      length += chunkBytes;
      chunk = [];
      chunkBytes = 0;
    };
    try {
      for (const entry of entries) {
        // Whoever reads this line reads a file that was on disk before it had its name: all before it is certain.
        const line = encodeLine(entry, length + chunkBytes);
        chunk.push(line);
        chunkBytes += line.length;
        lines += 1;
        if (chunkBytes >= CHUNK_BYTES) await flush();
      }
      await flush();
      await file.datasync();
    } catch (error) {
      await file.close();
      await rm(draftPath, { force: true });
      throw error;
    }
    return new JournalDraft(draftPath, file, length, lines);
  }

  /**
   * Removes what a crash during a compaction may have left, and what a process that lost its lock may be about to give
   * the journal's name.
   */
  static async removeAll(path: string): Promise<void> {
    const prefix = `${basename(path)}.new-`;
    for (const name of await readdir(dirname(path))) {
      if (name.startsWith(prefix)) await rm(join(dirname(path), name), { recursive: true, force: true });
    }
  }

  /** Gives it up. */
  async discard(): Promise<void> {
    await this.file.close();
    await rm(this.path, { force: true });
  }
}
