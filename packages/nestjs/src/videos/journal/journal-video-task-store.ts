import { access, rm, rmdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ConfigurationError, type VideoTask } from "@model-gateway/core";
import { Logger } from "@nestjs/common";
import { makeFolder } from "../../files/make-folder.js";
import { systemErrorCode } from "../../files/system-error-code.js";
import { LocalVideoTaskStore } from "../local-video-task-store.js";
import {
  isNewSubmission,
  isOver,
  isWaiting,
  type KeptResult,
  type VideoTaskIntent,
  type VideoTaskKeeping,
  type VideoTaskRecord,
} from "../video-task-record.js";
import type { VideoTaskRetention } from "../video-task-retention.js";
import type { VideoTaskPolling } from "../video-task-store.js";
import { cutFiles, type KeptRemains } from "./cut-files.js";
import { describeRemains } from "./describe-remains.js";
import { JournalFile } from "./journal-file.js";
import { JournalWriteError, type WritePurpose } from "./journal-write-error.js";
import { probeFolder } from "./probe-folder.js";
import { ProcessLock } from "./process-lock.js";

const DEFAULT_DIRECTORY = ".model-gateway";
const DEFAULT_LOCK_WAIT_MS = 5_000;
const DEFAULT_LOCK_LEASE_MS = 30_000;
const SHORTEST_LOCK_LEASE_MS = 1_000;

/** Settings of a `JournalVideoTaskStore`. */
export interface JournalVideoTaskStoreOptions {
  /** Folder of the files, best on a local disk. Default `.model-gateway`, in the folder that the process runs in. */
  directory?: string;
  /** Sets this store apart from others in the same folder. The module gives the name of the instance. */
  name?: string;
  /** What is forgotten of finished tasks. */
  retention?: VideoTaskRetention;
  /**
   * How long to wait, in milliseconds, for another process that keeps tasks there and may be about to end. Default
   * 5000.
   */
  lockWaitMs?: number;
  /**
   * How long, in milliseconds, a process on another host, or in another container, may give no sign of life before its
   * tasks are taken over. At least 1000. Default 30000.
   */
  lockLeaseMs?: number;
  /**
   * What to do at the start when there is no journal yet and none could be made, as in a folder that is read-only: `throw`, or
   * `warn`, and tell `troubles()`, for an application that may submit no videos. Default `throw`; the store that the module
   * makes by itself warns. A submission fails in either case, before anything is paid.
   */
  whenUnwritable?: "throw" | "warn";
}

interface OpenJournal {
  file: JournalFile;
  lock: ProcessLock;
  /** What earlier starts could not read, and may tell of tasks that were paid for. */
  remains: KeptRemains[];
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
  private readonly lockLeaseMs: number;
  private readonly whenUnwritable: "throw" | "warn";
  private journal: OpenJournal | undefined;
  private openedWith: VideoTaskPolling | undefined;
  /** Why none could be made at the start: then it is tried again whenever somebody asks, and else not. */
  private unwritable: Error | undefined;
  /** Whether to open them; without a task there are none. */
  private hasFiles = false;
  /** The first submission makes the files. */
  private creation: Promise<void> | undefined;
  /** Records that are on disk and do not show up yet, for the moment between the two. */
  private readonly unpublished = new Map<string, VideoTaskRecord>();

  constructor({
    directory = DEFAULT_DIRECTORY,
    name,
    retention,
    lockWaitMs = DEFAULT_LOCK_WAIT_MS,
    lockLeaseMs = DEFAULT_LOCK_LEASE_MS,
    whenUnwritable = "throw",
  }: JournalVideoTaskStoreOptions = {}) {
    super("JournalVideoTaskStore", retention);
    if (!(lockLeaseMs >= SHORTEST_LOCK_LEASE_MS)) {
      throw new ConfigurationError(
        `Option lockLeaseMs of JournalVideoTaskStore must be a number from ${SHORTEST_LOCK_LEASE_MS} on, and not ` +
          `${String(lockLeaseMs)}.`,
      );
    }
    this.directory = resolve(directory);
    this.basePath = join(
      this.directory,
      name === undefined ? "video-tasks" : `video-tasks.${fileNameOf(name)}`,
    );
    this.lockWaitMs = lockWaitMs;
    this.lockLeaseMs = lockLeaseMs;
    this.whenUnwritable = whenUnwritable;
    this.changes$.subscribe(({ key }) => this.unpublished.delete(key));
  }

  /**
   * @throws ConfigurationError when another process keeps tasks there, the file is damaged or not readable, or no files
   * could be made for a first task: who, where, and what to do
   */
  override async open(polling: VideoTaskPolling): Promise<void> {
    this.openedWith = polling;
    const isThere = await exists(this.pathOf("journal")).catch((error) => this.explain(error));
    if (isThere) return this.openFiles(polling);
    this.unwritable = await this.probe();
    if (this.unwritable !== undefined && this.whenUnwritable === "throw") throw this.unwritable;
    if (this.unwritable !== undefined)
      this.logger.warn(`No video can be submitted: ${this.unwritable.message}`);
    await super.open(polling);
  }

  override async stop(): Promise<void> {
    this.openedWith = undefined;
    await this.creation?.catch(() => undefined);
    await super.stop();
  }

  override async close(): Promise<void> {
    const { journal } = this;
    this.journal = undefined;
    this.hasFiles = false;
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
  override async update(key: string, task: VideoTask, kept?: KeptResult): Promise<void> {
    await unlessFull(super.update(key, task, kept));
  }

  /** Leaves out that files are being kept, when there is no room for it: after a crash the next poll finds out. */
  override async keep(key: string, keeping: VideoTaskKeeping): Promise<void> {
    await unlessFull(super.keep(key, keeping));
  }

  override async troubles(): Promise<string[]> {
    const { journal } = this;
    if (journal === undefined) {
      if (this.unwritable !== undefined) this.unwritable = await this.probe();
      return this.unwritable === undefined ? [] : [`No video can be submitted: ${this.unwritable.message}`];
    }
    const trouble = await journal.file.findTrouble();
    return [
      ...(trouble === undefined ? [] : [`Video tasks cannot be written down: ${trouble}`]),
      ...(journal.file.damage === undefined ? [] : [journal.file.damage]),
      ...(await this.describeRemains(journal.remains)),
    ];
  }

  protected async load(restore: (record: VideoTaskRecord) => void): Promise<void> {
    if (!this.hasFiles) return;
    this.journal = await this.lockAndRead((entry) => restore(JSON.parse(entry)));
  }

  protected override async loaded(): Promise<void> {
    const { journal } = this;
    if (journal === undefined) return;
    if (journal.lock.takenFrom !== "nobody") await this.leaveBehind(journal);
    for (const sentence of await this.describeRemains(journal.remains)) this.logger.error(sentence);
  }

  protected override onForgotten(): void {
    this.journal?.file.compactSoon();
  }

  protected async persist(record: VideoTaskRecord): Promise<void> {
    if (this.journal === undefined) throw new Error("The store of video tasks is closed.");
    const purpose = purposeOf(record, await this.get(record.key));
    await this.journal.file.append(JSON.stringify(record), purpose, () =>
      this.unpublished.set(record.key, record),
    );
  }

  /** @returns why no files could be made for a first task */
  private async probe(): Promise<Error | undefined> {
    try {
      await probeFolder(this.directory).catch((error) => this.explain(error));
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }

  private async create(): Promise<void> {
    const { openedWith } = this;
    if (openedWith === undefined) throw new Error("The store of video tasks is not open.");
    await makePrivateFolder(this.directory).catch((error) => this.explain(error));
    // By now there may be a journal, of a process that has come and gone: it is read like any other.
    await this.openFiles(openedWith);
  }

  private async openFiles(polling: VideoTaskPolling): Promise<void> {
    this.hasFiles = true;
    try {
      await super.open(polling);
    } catch (error) {
      await this.close();
      this.explain(error);
    }
  }

  private async lockAndRead(take: (entry: string) => void): Promise<OpenJournal> {
    const path = this.pathOf("journal");
    const lock = await ProcessLock.acquire(this.pathOf("lock"), {
      waitMs: this.lockWaitMs,
      leaseMs: this.lockLeaseMs,
      warn: (message) => this.logger.warn(message),
    });
    try {
      const options = {
        path,
        reservePath: this.pathOf("reserve"),
        isOwner: () => lock.isHeld(),
        liveEntries: () => this.liveEntries(),
        warn: (message: string) => this.logger.warn(message),
      };
      const file = await JournalFile.open(options, take);
      lock.onLost(() => {
        file.lose();
        this.logger.error("Another process has taken over the video tasks of this one, which takes no more.");
      });
      return { file, lock, remains: await cutFiles.read(path) };
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** Goes on in a new file: what an owner still writes that only seemed dead, it writes into the old one. */
  private async leaveBehind({ file, lock }: OpenJournal): Promise<void> {
    try {
      await file.renew();
    } catch (error) {
      if (lock.takenFrom === "silent") throw error;
      // As when the disk is full: nobody is known to be there, and the tasks have to be polled.
      this.logger.warn(
        `The journal of a process that died could not be replaced by a new one: ${String(error)}`,
      );
    }
  }

  private async describeRemains(remains: readonly KeptRemains[]): Promise<string[]> {
    const described = remains.map(async (kept) =>
      describeRemains(kept, kept.key === undefined ? undefined : await this.get(kept.key)),
    );
    return (await Promise.all(described)).filter((sentence) => sentence !== undefined);
  }

  private liveEntries(): Iterable<string> {
    const live = new Map([...this.records()].map((record) => [record.key, record]));
    for (const record of this.unpublished.values()) {
      if (isNewSubmission(record, live.get(record.key))) live.delete(record.key);
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
        "option directory to another folder on a local disk. An application that submits no videos can have " +
        "videos: { store: new MemoryVideoTaskStore(), allowMemoryStore: true }.",
      { cause: error },
    );
  }
}

/** Lets go of a write that can be done without, when there is no room. */
async function unlessFull(write: Promise<void>): Promise<void> {
  try {
    await write;
  } catch (error) {
    const isDispensable =
      error instanceof JournalWriteError && error.purpose === "progress" && error.isTemporary;
    if (!isDispensable) throw error;
  }
}

function purposeOf(record: VideoTaskRecord, previous: VideoTaskRecord | undefined): WritePurpose {
  // What is not written of these costs nothing but time.
  if (record.status === "submitting" || isWaiting(record) || (previous && isWaiting(previous)))
    return "intent";
  if (previous?.handle === undefined) return "outcome";
  // Its end was written; calls of its handlers can wait for room.
  if (isOver(previous)) return "progress";
  return isOver(record) ? "end" : "progress";
}

function* entriesOf(records: Iterable<VideoTaskRecord>): Generator<string> {
  for (const record of records) yield JSON.stringify(record);
}

/** A folder that only its owner may read, since records hold prompts, and that no repository takes in. */
async function makePrivateFolder(directory: string): Promise<void> {
  if (!(await makeFolder(directory))) return;
  try {
    await writeFile(join(directory, ".gitignore"), "*\n");
  } catch (error) {
    // So that the next attempt makes all of it.
    await rm(join(directory, ".gitignore"), { force: true });
    await rmdir(directory).catch(() => undefined);
    throw error;
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
