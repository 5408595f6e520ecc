import { type FileHandle, open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { JournalDraft } from "./journal-draft.js";
import { decodeJournal, encodeLine, headerLine } from "./journal-format.js";
import { isLackOfRoom, JournalWriteError, troubleOfWrite, type WritePurpose } from "./journal-write-error.js";
import { SpaceReserve } from "./space-reserve.js";
import { syncFolder } from "./sync-folder.js";
import { systemErrorCode } from "./system-error-code.js";

const DEFAULT_MIN_COMPACTION_LINES = 1_000;

/** What a journal needs from its surroundings. */
export interface JournalFileOptions {
  path: string;
  /** A file that keeps room for outcomes. */
  reservePath: string;
  /** Whether this process is still the only one that writes the file. */
  isOwner: () => Promise<boolean>;
  /** Everything that is to outlive a compaction, as it stands when it is called, in order. */
  liveEntries: () => Iterable<string>;
  warn: (message: string) => void;
  /** Journals with fewer lines are not worth a compaction. Default 1000. */
  minCompactionLines?: number;
}

interface Append {
  entry: string;
  purpose: WritePurpose;
  onDurable: () => void;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * A file that only grows, and from time to time is replaced by a shorter one. What was appended is on disk when the
 * promise resolves; appends that come while the disk is busy share the next sync. One writer does everything in turn.
 */
export class JournalFile {
  private readonly reserve: SpaceReserve;
  private waiting: Append[] = [];
  private writer: Promise<void> | undefined;
  /** Why nothing is written any more. */
  private broken: string | undefined;
  /** What was wrong with the last write. */
  private trouble: string | undefined;
  private lines: number;
  /** Lines that the last compaction left; unknown before the first. */
  private compactedLines = 0;

  private constructor(
    private readonly options: JournalFileOptions,
    private file: FileHandle,
    private length: number,
    entries: readonly string[],
  ) {
    this.reserve = new SpaceReserve(options.reservePath);
    this.lines = entries.length;
  }

  /**
   * Opens a journal, or begins one.
   *
   * @returns the journal, and every entry that it holds
   * @throws ConfigurationError when the file is damaged or none of ours
   */
  static async open(options: JournalFileOptions): Promise<{ journal: JournalFile; entries: string[] }> {
    const { path, warn } = options;
    await JournalDraft.remove(path);
    const content = await readFile(path).catch(nothingIfMissing);
    const { entries, length } = decodeJournal(path, content);
    const file = await open(path, "a", 0o600);
    try {
      if (length < content.length) {
        warn(
          `${path} ends with ${content.length - length} bytes of a write that a crash cut short. They were never ` +
            "acknowledged, so nothing was paid on the strength of them; they are cut off.",
        );
        await file.truncate(length);
      }
      if (length === 0) await file.appendFile(headerLine());
      await file.datasync();
      await syncFolder(dirname(path));
    } catch (error) {
      await file.close();
      throw error;
    }
    return { journal: new JournalFile(options, file, length || headerLine().length, entries), entries };
  }

  /**
   * Appends an entry. Resolves when it is on disk.
   *
   * @param entry JSON
   * @param onDurable called when it is on disk, before anything else happens to the file
   * @throws JournalWriteError when it is not, and the file is as it was; or, after the disk failed, in a state that
   * nobody knows: then nothing is written any more
   */
  append(entry: string, purpose: WritePurpose, onDurable: () => void = () => {}): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ entry, purpose, onDurable, resolve, reject });
      this.writer ??= this.write();
    });
  }

  /** What is wrong, as a sentence, after looking whether there is room again. */
  async findTrouble(): Promise<string | undefined> {
    if (this.reserve.isMissing) this.writer ??= this.mend().then(() => this.write());
    await this.writer;
    return this.broken ?? this.trouble;
  }

  /** Writes what was appended before, and closes the file. */
  async close(): Promise<void> {
    while (this.writer !== undefined) await this.writer;
    this.broken ??= "the store is closed.";
    await this.file.close();
  }

  private async write(): Promise<void> {
    // What is appended in the same turn goes into the same sync.
    await Promise.resolve();
    while (this.waiting.length > 0) {
      const batch = this.waiting;
      this.waiting = [];
      await this.commit(batch);
      const { minCompactionLines = DEFAULT_MIN_COMPACTION_LINES } = this.options;
      if (this.lines > minCompactionLines + 2 * this.compactedLines) await this.compact();
    }
    this.writer = undefined;
  }

  private async mend(): Promise<void> {
    try {
      await this.reserve.ensure();
      this.trouble = undefined;
    } catch {
      // The trouble is known, and still there.
    }
  }

  private async commit(batch: Append[]): Promise<void> {
    const intents = batch.filter(({ purpose }) => purpose === "intent");
    try {
      if (intents.length > 0 && this.broken === undefined) await this.reserve.ensure();
    } catch (error) {
      this.refuse(intents, error);
      return this.commit(batch.filter((append) => !intents.includes(append)));
    }
    if (batch.length === 0) return;
    try {
      await this.store(batch);
    } catch (error) {
      const isPrecious = ({ purpose }: Append) => purpose === "outcome" || purpose === "end";
      this.refuse(
        batch.filter((append) => !isPrecious(append)),
        error,
      );
      await this.storeAtAnyCost(batch.filter(isPrecious), error);
    }
  }

  /** What tells of a task that was paid for gets the room that was kept for it. */
  private async storeAtAnyCost(batch: Append[], reason: unknown): Promise<void> {
    if (batch.length === 0) return;
    if (!isLackOfRoom(reason)) return this.refuse(batch, reason);
    try {
      await this.reserve.giveUp();
      await this.store(batch);
    } catch (error) {
      this.refuse(batch, error);
    }
  }

  private refuse(appends: readonly Append[], cause: unknown): void {
    this.trouble = troubleOfWrite(this.options.path, cause);
    const isTemporary = this.broken === undefined && isLackOfRoom(cause);
    for (const { purpose, reject } of appends) {
      reject(new JournalWriteError(purpose, this.broken ?? this.trouble, { cause, isTemporary }));
    }
  }

  /** Rejects when the batch is not on disk. */
  private async store(batch: readonly Append[]): Promise<void> {
    if (this.broken !== undefined) throw new Error(this.broken);
    await this.requireOwnership();
    const bytes = Buffer.concat(batch.map(({ entry }) => encodeLine(entry, this.length)));
    try {
      await this.file.appendFile(bytes);
    } catch (error) {
      await this.file.truncate(this.length).catch((cause) => this.breakDown("could not be mended", cause));
      throw error;
    }
    await this.file.datasync().catch((cause) => this.breakDown("was not confirmed by the disk", cause));
    // A successor removes our lock before it reads the file: what is written while we hold it, the successor knows.
    await this.requireOwnership();
    this.length += bytes.length;
    this.lines += batch.length;
    if (!this.reserve.isMissing) this.trouble = undefined;
    for (const { onDurable, resolve } of batch) {
      onDurable();
      resolve();
    }
  }

  private async requireOwnership(): Promise<void> {
    const isThere = (await this.file.stat()).nlink > 0;
    if (isThere && (await this.options.isOwner())) return;
    this.broken =
      `${this.options.path}, or the lock beside it, was removed while it was in use, so another process may keep ` +
      "tasks there now. Find out who removed it, and restart this process.";
    throw new Error(this.broken);
  }

  private breakDown(what: string, cause: unknown): never {
    this.broken = this.describeBreakdown(what, cause);
    throw cause;
  }

  private describeBreakdown(what: string, cause: unknown): string {
    return (
      `a write to ${this.options.path} ${what} (${String(cause)}), so nobody knows what is on the disk. Check the disk ` +
      "and restart: the journal is read again then, and nothing is written until that."
    );
  }

  /** Replaces the file by one without superseded lines. When that fails, the file stays as it is. */
  private async compact(): Promise<void> {
    if (this.broken !== undefined) return;
    const { path, warn, liveEntries } = this.options;
    try {
      const draft = await JournalDraft.write(path, liveEntries());
      try {
        await this.requireOwnership();
        await this.replaceBy(draft);
      } catch (error) {
        await draft.file.close();
        await JournalDraft.remove(path);
        throw error;
      }
    } catch (error) {
      // Tried again when the file has doubled.
      this.compactedLines = this.lines;
      warn(`${path} could not be compacted and goes on growing: ${String(error)}`);
    }
  }

  private async replaceBy({ path: draftPath, file, length, lines }: JournalDraft): Promise<void> {
    const { path } = this.options;
    // Windows replaces no file that is open.
    await this.file.close();
    try {
      await rename(draftPath, path);
    } catch (error) {
      this.file = await open(path, "a", 0o600).catch((cause) =>
        this.breakDown("could not be made again", cause),
      );
      throw error;
    }
    this.file = file;
    this.length = length;
    this.lines = lines;
    this.compactedLines = lines;
    // Until the new name is on disk, a crash could bring back the old file, without what is appended from now on.
    await syncFolder(dirname(path)).catch((cause) => {
      this.broken = this.describeBreakdown("was not confirmed by the disk", cause);
    });
  }
}

function nothingIfMissing(error: unknown): Buffer {
  if (systemErrorCode(error) === "ENOENT") return Buffer.alloc(0);
  throw error;
}
