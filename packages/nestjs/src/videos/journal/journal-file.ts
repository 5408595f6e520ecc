import { type FileHandle, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "../../files/sync-folder.js";
import { JournalDraft } from "./journal-draft.js";
import { encodeLine, headerLine } from "./journal-format.js";
import { isLackOfRoom, JournalWriteError, troubleOfWrite, type WritePurpose } from "./journal-write-error.js";
import { readJournal } from "./read-journal.js";
import { repairEnd } from "./repair-end.js";
import { SpaceReserve } from "./space-reserve.js";
import { writeAgain } from "./write-again.js";

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
  private waiting: Append[] = [];
  private writer: Promise<void> | undefined;
  /** Why nothing is written any more. */
  private broken: string | undefined;
  /** What was wrong with the last write. */
  private trouble: string | undefined;
  /** Lines that the last compaction left; unknown before the first. */
  private compactedLines = 0;
  private shouldCompact = false;

  private constructor(
    private readonly options: JournalFileOptions,
    private readonly reserve: SpaceReserve,
    private file: FileHandle,
    private length: number,
    private lines: number,
    /** What was found wrong when it was opened, and put right. */
    readonly damage: string | undefined,
  ) {}

  /**
   * Opens a journal, or begins one.
   *
   * @param take is given every entry that it holds, in the order of writing
   * @throws ConfigurationError when the file is damaged or none of ours
   */
  static async open(options: JournalFileOptions, take: (entry: string) => void): Promise<JournalFile> {
    const { path, reservePath, warn } = options;
    await JournalDraft.removeAll(path);
    const reading = await readJournal(path, take);
    let { length, lines } = reading;
    const reserve = new SpaceReserve(reservePath);
    let damage: string | undefined;
    if (length > 0 && reading.tail.length > 0) {
      const repaired = await repairEnd(path, reading, reserve);
      for (const entry of repaired.entries) take(entry);
      length = repaired.length;
      lines += repaired.entries.length;
      if (repaired.isDamage) damage = repaired.message;
      warn(repaired.message);
    }
    const file = await open(path, "a", 0o600);
    try {
      if (length > 0) await writeAgain(path, reading.durableLength, length);
      else {
        if (reading.tail.length > 0)
          warn(`${path} was being made when a crash cut it short; it is made again.`);
        await file.truncate(0);
        await file.appendFile(headerLine());
        await file.datasync();
      }
      await syncFolder(dirname(path));
    } catch (error) {
      await file.close();
      throw error;
    }
    const journal = new JournalFile(options, reserve, file, length || headerLine().length, lines, damage);
    // One that has tasks is read also where there is no room: they are polled all the same.
    if (length > 0) await journal.takeReserve();
    return journal;
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

  /** Writes what was appended before, and a new file without superseded lines; does not wait for it. */
  compactSoon(): void {
    this.shouldCompact = true;
    this.writer ??= this.write();
  }

  /**
   * Leaves the file to whoever had it before, and goes on in a new one: what a process writes that lost its lock
   * without having noticed, it writes into the old one.
   *
   * @throws when there can be no new file
   */
  async renew(): Promise<void> {
    const draft = await JournalDraft.write(this.options.path, this.options.liveEntries());
    await this.adopt(draft);
    if (this.broken !== undefined) throw new Error(this.broken);
  }

  /** Takes nothing any more: somebody else has the journal. */
  lose(): void {
    this.broken ??= this.describeLoss();
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
    while (this.waiting.length > 0 || this.shouldCompact) {
      const batch = this.waiting;
      this.waiting = [];
      await this.commit(batch);
      const { minCompactionLines = DEFAULT_MIN_COMPACTION_LINES } = this.options;
      const isLong = this.lines > minCompactionLines + 2 * this.compactedLines;
      if (isLong || this.shouldCompact) await this.compact();
    }
    this.writer = undefined;
  }

  private async takeReserve(): Promise<void> {
    try {
      await this.reserve.ensure();
    } catch (error) {
      this.trouble = troubleOfWrite(this.options.path, error);
    }
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
    this.lose();
    throw new Error(this.broken);
  }

  private describeLoss(): string {
    return (
      `${this.options.path}, or the lock beside it, was removed while it was in use, so another process may keep ` +
      "tasks there now. Find out who removed it, and restart this process. A process on another host takes over " +
      "when this one stood still for long."
    );
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
    this.shouldCompact = false;
    if (this.broken !== undefined) return;
    const { path, warn, liveEntries } = this.options;
    try {
      await this.adopt(await JournalDraft.write(path, liveEntries()));
    } catch (error) {
      // Tried again when the file has doubled.
      this.compactedLines = this.lines;
      warn(`${path} could not be compacted and goes on growing: ${String(error)}`);
    }
  }

  private async adopt(draft: JournalDraft): Promise<void> {
    try {
      await this.requireOwnership();
      await this.replaceBy(draft);
    } catch (error) {
      await draft.discard();
      throw error;
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
