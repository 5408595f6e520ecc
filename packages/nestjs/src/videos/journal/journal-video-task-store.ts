import { access, mkdir, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { ConfigurationError, type VideoTask } from "@model-gateway/core";
import { Logger } from "@nestjs/common";
import { LocalVideoTaskStore } from "../local-video-task-store.js";
import { isOver, type VideoTaskIntent, type VideoTaskRecord } from "../video-task-record.js";
import type { VideoTaskPolling } from "../video-task-store.js";
import { JournalFile } from "./journal-file.js";
import { JournalWriteError, type WritePurpose } from "./journal-write-error.js";
import { ProcessLock } from "./process-lock.js";
import { syncFolder } from "./sync-folder.js";
import { systemErrorCode } from "./system-error-code.js";

const DEFAULT_DIRECTORY = ".model-gateway";
const DEFAULT_LOCK_WAIT_MS = 5_000;

/** Settings of a `JournalVideoTaskStore`. */
export interface JournalVideoTaskStoreOptions {
  /** Folder of the files, best on a local disk. Default `.model-gateway`, in the folder that the process runs in. */
  directory?: string;
  /** Sets this store apart from others in the same folder. The module gives the name of the instance. */
  name?: string;
  /** Finished tasks that are kept; the oldest are forgotten first. Default 10000. `unknown` ones all stay. */
  maxFinished?: number;
  /**
   * How long to wait, in milliseconds, for another process that keeps tasks there and may be about to end. Default
   * 5000.
   */
  lockWaitMs?: number;
}

interface OpenJournal {
  file: JournalFile;
  lock: ProcessLock;
  /** What the file held; empty once it was read. */
  entries: string[];
}

/**
 * Keeps video tasks in a file, for one process at a time: they survive a crash of the process, and of the machine.
 * What a write says is on disk when its promise resolves. Without a task there is no file and no lock.
 *
 * Own code and not a library, because what was paid for depends on it, and no embedded store that runs on Node 20
 * without native code syncs its writes and keeps a second process out.
 */
export class JournalVideoTaskStore extends LocalVideoTaskStore {
  readonly durable = true;
  private readonly logger = new Logger(JournalVideoTaskStore.name);
  private readonly directory: string;
  private readonly basePath: string;
  private readonly lockWaitMs: number;
  private journal: OpenJournal | undefined;
  private openedWith: VideoTaskPolling | undefined;
  /** The first submission makes the files. */
  private creation: Promise<void> | undefined;
  /** Records that are on disk and do not show up yet, for the moment between the two. */
  private readonly unpublished = new Map<string, VideoTaskRecord>();

  constructor({
    directory = DEFAULT_DIRECTORY,
    name,
    maxFinished,
    lockWaitMs = DEFAULT_LOCK_WAIT_MS,
  }: JournalVideoTaskStoreOptions = {}) {
    super(maxFinished);
    this.directory = resolve(directory);
    this.basePath = join(
      this.directory,
      name === undefined ? "video-tasks" : `video-tasks.${fileNameOf(name)}`,
    );
    this.lockWaitMs = lockWaitMs;
    this.changes$.subscribe(({ key }) => this.unpublished.delete(key));
  }

  /**
   * @throws ConfigurationError when another process keeps tasks there, or the file is damaged or not readable: who,
   * where, and what to do
   */
  override async open(polling: VideoTaskPolling): Promise<void> {
    this.openedWith = polling;
    if (await exists(this.pathOf("journal")).catch((error) => this.explain(error)))
      await this.openFiles(polling);
    else await super.open(polling);
  }

  override async stop(): Promise<void> {
    this.openedWith = undefined;
    await this.creation?.catch(() => undefined);
    await super.stop();
  }

  override async close(): Promise<void> {
    const { journal } = this;
    this.journal = undefined;
    await journal?.file.close();
    await journal?.lock.release();
  }

  /**
   * @throws JournalWriteError when there is no room: nothing is paid then
   * @throws ConfigurationError when the files cannot be made, or another process keeps tasks there
   */
  override async begin(intent: VideoTaskIntent): Promise<boolean> {
    if (this.journal === undefined) {
      this.creation ??= this.create().finally(() => {
        this.creation = undefined;
      });
    }
    // Whoever comes while it is made waits too: a key may be taken in what is being read.
    await this.creation;
    return super.begin(intent);
  }

  /** Leaves out what a poll saw of a task that goes on, when there is no room for it: the next poll sees more. */
  override async update(key: string, task: VideoTask): Promise<void> {
    try {
      await super.update(key, task);
    } catch (error) {
      const isDispensable =
        error instanceof JournalWriteError && error.purpose === "progress" && error.isTemporary;
      if (!isDispensable) throw error;
    }
  }

  override async troubles(): Promise<string[]> {
    const trouble = await this.journal?.file.findTrouble();
    return trouble === undefined ? [] : [`Video tasks cannot be written down: ${trouble}`];
  }

  protected async load(): Promise<Iterable<VideoTaskRecord>> {
    const records = new Map<string, VideoTaskRecord>();
    for (const entry of this.journal?.entries.splice(0) ?? []) {
      const record: VideoTaskRecord = JSON.parse(entry);
      // A new submission with the key of a rejected one comes last.
      if (record.status === "submitting") records.delete(record.key);
      records.set(record.key, record);
    }
    return records.values();
  }

  protected async persist(record: VideoTaskRecord): Promise<void> {
    if (this.journal === undefined) throw new Error("The store of video tasks is closed.");
    const purpose = purposeOf(record, await this.get(record.key));
    await this.journal.file.append(JSON.stringify(record), purpose, () =>
      this.unpublished.set(record.key, record),
    );
  }

  private async create(): Promise<void> {
    const { openedWith } = this;
    if (openedWith === undefined) throw new Error("The store of video tasks is not open.");
    await makeFolder(this.directory).catch((error) => this.explain(error));
    // By now there may be a journal, of a process that has come and gone: it is read like any other.
    await this.openFiles(openedWith);
  }

  private async openFiles(polling: VideoTaskPolling): Promise<void> {
    this.journal = await this.lockAndRead().catch((error) => this.explain(error));
    try {
      await super.open(polling);
    } catch (error) {
      await this.close();
      this.explain(error);
    }
  }

  private async lockAndRead(): Promise<OpenJournal> {
    const lock = await ProcessLock.acquire(this.pathOf("lock"), this.lockWaitMs);
    try {
      const { journal, entries } = await JournalFile.open({
        path: this.pathOf("journal"),
        reservePath: this.pathOf("reserve"),
        isOwner: () => lock.isHeld(),
        liveEntries: () => this.liveEntries(),
        warn: (message) => this.logger.warn(message),
      });
      return { file: journal, lock, entries };
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  private liveEntries(): Iterable<string> {
    const live = new Map([...this.records()].map((record) => [record.key, record]));
    for (const record of this.unpublished.values()) {
      if (record.status === "submitting") live.delete(record.key);
      live.set(record.key, record);
    }
    return entriesOf(live.values());
  }

  private pathOf(part: "journal" | "lock" | "reserve"): string {
    return `${this.basePath}.${part}`;
  }

  private explain(error: unknown): never {
    const isExplained = ConfigurationError.isInstance(error) || error instanceof JournalWriteError;
    if (isExplained) throw error;
    throw new ConfigurationError(
      `The folder ${this.directory}, where video tasks are to be kept, cannot be used: ${String(error)}. Nothing was ` +
        "sent to the gateway. Make sure that this user may write there and that there is room, or set the store's " +
        "option directory to another folder on a local disk.",
      { cause: error },
    );
  }
}

function purposeOf(record: VideoTaskRecord, previous: VideoTaskRecord | undefined): WritePurpose {
  if (record.status === "submitting") return "intent";
  if (previous?.handle === undefined) return "outcome";
  return isOver(record) ? "end" : "progress";
}

function* entriesOf(records: Iterable<VideoTaskRecord>): Generator<string> {
  for (const record of records) yield JSON.stringify(record);
}

/** A folder that only its owner may read, since records hold prompts, and that no repository takes in. */
async function makeFolder(directory: string): Promise<void> {
  // An octal number, as chmod takes it.
  const first = await mkdir(directory, { recursive: true, mode: "700" });
  if (first === undefined) return;
  try {
    await writeFile(join(directory, ".gitignore"), "*\n");
  } catch (error) {
    // So that the next attempt makes all of it.
    await rm(join(directory, ".gitignore"), { force: true });
    await rmdir(directory).catch(() => undefined);
    throw error;
  }
  for (let folder = directory; folder !== dirname(first); folder = dirname(folder)) {
    await syncFolder(dirname(folder));
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemErrorCode(error))) return false;
    throw error;
  }
}

/** Leaves no character that a file system may refuse, or that could lead out of the folder. */
function fileNameOf(name: string): string {
  return encodeURIComponent(name).replace(/[.!'()*~]/g, (character) =>
    `%${character.charCodeAt(0).toString(16)}`.toUpperCase(),
  );
}
