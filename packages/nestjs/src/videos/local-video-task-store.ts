import type { VideoTask } from "@model-gateway/core";
import { type Observable, Subject } from "rxjs";
import { repeatEvery } from "../streams/repeat-every.js";
import { matchesFilter } from "./matches-filter.js";
import { RecordBook } from "./record-book.js";
import {
  deliveryRecord,
  hasDueDeliveries,
  redeliveredRecord,
  type VideoDelivery,
  withDueDeliveries,
} from "./video-delivery.js";
import {
  acceptedRecord,
  begunRecord,
  cancelledRecord,
  isDue,
  isFinished,
  isOpen,
  isOver,
  isSettled,
  type KeptResult,
  keepingRecord,
  polledRecord,
  refusedRecord,
  resumedRecord,
  returnedRecord,
  stalledRecord,
  takenRecord,
  troubledRecord,
  unwatchedRecord,
  type VideoTaskIntent,
  type VideoTaskKeeping,
  type VideoTaskProblem,
  type VideoTaskRecord,
  type VideoTaskStall,
  type VideoTaskWait,
} from "./video-task-record.js";
import {
  type ResolvedRetention,
  resolveRetention,
  sweepIntervalMs,
  type VideoTaskRetention,
} from "./video-task-retention.js";
import {
  type VideoTaskLimits,
  type VideoTaskPolling,
  type VideoTaskQuery,
  VideoTaskStore,
} from "./video-task-store.js";

const LEFT_BEHIND: VideoTaskProblem = {
  kind: "other",
  message:
    "The process ended while it submitted this video. It may have been paid for; nothing sends it again.",
};

/** A task that this process polls. */
interface Polled {
  taskId: string;
  stop: AbortController;
  soon: Subject<void>;
}

/** The store of one process: keeps all records in memory. How they outlive the process is up to the subclass. */
export abstract class LocalVideoTaskStore extends VideoTaskStore {
  readonly changes$: Observable<VideoTaskRecord>;
  private readonly changes = new Subject<VideoTaskRecord>();
  private readonly retention: ResolvedRetention;
  private book: RecordBook;
  /** The last write of a key that is under way: the next one comes after it. */
  private readonly writing = new Map<string, Promise<unknown>>();
  /** Keys that are being written as taken. */
  private readonly taking = new Set<string>();
  private readonly polled = new Map<string, Polled>();
  /** Keys whose handlers are being called, or wait for it. */
  private readonly delivered = new Set<string>();
  private delivering = new AbortController();
  private readonly running = new Set<Promise<void>>();
  private polling: VideoTaskPolling | undefined;
  private sweeping: AbortController | undefined;

  /**
   * @param name of the class, for errors
   * @throws ConfigurationError when the retention makes no sense
   */
  constructor(name: string, retention: VideoTaskRetention | undefined) {
    super();
    this.retention = resolveRetention(name, retention);
    this.book = new RecordBook(this.retention);
    this.changes$ = this.changes.asObservable();
  }

  /**
   * Writes a new version of a record durably. Called in order for one key, and at once for many keys. The record
   * shows up only after it resolved; when it rejects, nothing has changed.
   */
  protected abstract persist(record: VideoTaskRecord): Promise<void>;

  /** Gives back what was written, in the order of writing. Called by each `open`. */
  protected abstract load(restore: (record: VideoTaskRecord) => void): Promise<void>;

  /** Called by each `open`, when the records are there and before anything is done with them. */
  protected async loaded(): Promise<void> {}

  /** Records are forgotten that were finished for too long: what remembers them may do so too. */
  protected onForgotten(): void {}

  /** The records as they stand, in the order of submission. */
  protected records(): Iterable<VideoTaskRecord> {
    return this.book.values();
  }

  async open(polling: VideoTaskPolling): Promise<void> {
    const book = new RecordBook(this.retention);
    await this.load((record) => book.restore(record));
    book.endRestore();
    this.polling = polling;
    for (const record of [...book.values()]) {
      // Not written: whoever opens this the next time comes to the same conclusion, and a full disk is no obstacle.
      if (record.status === "submitting")
        book.put(this.withDue(record, troubledRecord(record, "unknown", LEFT_BEHIND)) ?? record);
      else if (record.watchCancelledAt !== undefined && !isFinished(record)) book.put(resumedRecord(record));
    }
    this.book = book;
    await this.loaded();
    this.forgetExpired();
    this.delivering = new AbortController();
    for (const record of [...book.values()]) {
      this.handOut(record);
      this.handDeliver(record);
    }
  }

  async stop(): Promise<void> {
    this.sweeping?.abort();
    this.polling = undefined;
    this.delivering.abort();
    for (const { stop } of this.polled.values()) stop.abort();
    await Promise.all(this.running);
  }

  async begin(intent: VideoTaskIntent): Promise<boolean> {
    const begun = await this.write(intent.key, (previous) =>
      previous === undefined || previous.status === "rejected" ? begunRecord(intent, previous) : undefined,
    );
    return begun !== undefined;
  }

  async accept(key: string, task: VideoTask): Promise<void> {
    const accepted = await this.change(key, (record) => acceptedRecord(record, task));
    if (accepted !== undefined) this.handOut(accepted);
  }

  async take(key: string, limits: VideoTaskLimits): Promise<VideoTaskRecord | undefined> {
    const record = required(key, this.book.get(key));
    if (this.taking.has(key) || !isDue(record) || !this.hasRoom(record, limits)) return undefined;
    // The write takes its time, and what is open is counted meanwhile.
    this.taking.add(key);
    let taken: VideoTaskRecord | undefined;
    try {
      await this.change(key, (before) => {
        taken = before;
        return takenRecord(before);
      });
    } finally {
      this.taking.delete(key);
    }
    return taken?.waiting && taken;
  }

  async putBack(key: string, waiting: VideoTaskWait): Promise<void> {
    await this.change(key, (record) => returnedRecord(record, waiting));
  }

  async refuse(key: string, problem: VideoTaskProblem): Promise<void> {
    await this.change(key, (record) => refusedRecord(record, problem));
  }

  async cancel(key: string): Promise<boolean> {
    return (await this.change(key, cancelledRecord)) !== undefined;
  }

  async reject(key: string, problem: VideoTaskProblem): Promise<void> {
    await this.change(key, (record) => troubledRecord(record, "rejected", problem));
  }

  async lose(key: string, problem: VideoTaskProblem): Promise<void> {
    await this.change(key, (record) => troubledRecord(record, "unknown", problem));
  }

  async update(key: string, task: VideoTask, kept?: KeptResult): Promise<void> {
    await this.change(key, (record) => polledRecord(record, task, kept));
  }

  async keep(key: string, keeping: VideoTaskKeeping): Promise<void> {
    await this.change(key, (record) => keepingRecord(record, keeping));
  }

  async stall(key: string, stalled: VideoTaskStall): Promise<void> {
    const record = this.book.get(key);
    // Where that is no news nothing is written: a gateway that is away for a day costs the disk nothing.
    if (record?.stalled?.problem.kind === stalled.problem.kind && !this.writing.has(key)) {
      this.book.put(stalledRecord(record, stalled));
      return;
    }
    await this.change(key, (before) => stalledRecord(before, stalled));
  }

  async deliver(key: string, delivery: VideoDelivery): Promise<void> {
    await this.write(key, (record) => deliveryRecord(required(key, record), delivery));
  }

  async redeliver(key: string): Promise<void> {
    await this.write(key, (record) => redeliveredRecord(required(key, record)));
  }

  async cancelWatch(key: string, problem?: VideoTaskProblem): Promise<void> {
    await this.change(key, (record) => unwatchedRecord(record, problem));
  }

  async pollSoon(key: string): Promise<void> {
    this.polled.get(key)?.soon.next();
  }

  async get(key: string): Promise<VideoTaskRecord | undefined> {
    return this.book.get(key);
  }

  async list({ before, limit, ...filter }: VideoTaskQuery = {}): Promise<VideoTaskRecord[]> {
    const end = before === undefined ? undefined : required(before, this.book.get(before));
    const found: VideoTaskRecord[] = [];
    for (const record of this.book.values()) {
      if (record === end) break;
      if (matchesFilter(record, filter)) found.push(record);
    }
    return limit === undefined ? found : found.slice(-limit);
  }

  private hasRoom({ tenant }: VideoTaskRecord, limits: VideoTaskLimits): boolean {
    const { maxOpen = Number.POSITIVE_INFINITY, perTenant = Number.POSITIVE_INFINITY } = limits;
    let open = 0;
    let ofTenant = 0;
    for (const record of this.book.values()) {
      if (!isOpen(record) && !this.taking.has(record.key)) continue;
      open += 1;
      if (record.tenant === tenant) ofTenant += 1;
    }
    return open < maxOpen && ofTenant < perTenant;
  }

  /** Writes a change of a record that is there and not over. */
  private change(
    key: string,
    next: (record: VideoTaskRecord) => VideoTaskRecord | undefined,
  ): Promise<VideoTaskRecord | undefined> {
    return this.write(key, (record) => {
      const present = required(key, record);
      return isOver(present) ? undefined : next(present);
    });
  }

  /** @returns what was written; undefined when `next` wanted no change */
  private write(
    key: string,
    next: (record: VideoTaskRecord | undefined) => VideoTaskRecord | undefined,
  ): Promise<VideoTaskRecord | undefined> {
    const written = Promise.resolve(this.writing.get(key))
      .catch(() => undefined)
      .then(async () => {
        const previous = this.book.get(key);
        const record = this.withDue(previous, next(previous));
        if (record === undefined) return undefined;
        await this.persist(record);
        this.publish(record);
        return record;
      })
      .finally(() => {
        if (this.writing.get(key) === written) this.writing.delete(key);
      });
    this.writing.set(key, written);
    return written;
  }

  private publish(record: VideoTaskRecord): void {
    this.book.put(record);
    if (isSettled(record)) this.polled.get(record.key)?.stop.abort();
    this.changes.next(record);
    this.handDeliver(record);
  }

  private withDue(
    previous: VideoTaskRecord | undefined,
    record: VideoTaskRecord | undefined,
  ): VideoTaskRecord | undefined {
    const { delivering } = this.polling ?? {};
    return (
      record && withDueDeliveries(previous, record, delivering && ((status) => delivering.handlersOf(status)))
    );
  }

  /** Has handlers called that are due, unless they are being called. */
  private handDeliver(record: VideoTaskRecord): void {
    const { key } = record;
    const { delivering } = this.polling ?? {};
    const { signal } = this.delivering;
    if (delivering === undefined || this.delivered.has(key) || !hasDueDeliveries(record)) return;
    this.delivered.add(key);
    const running = delivering
      .toEnd(record, { signal })
      .catch(() => undefined)
      .finally(() => {
        this.running.delete(running);
        this.delivered.delete(key);
        // What came to be due at the very end was not seen any more.
        const last = this.book.get(key);
        if (last !== undefined && !signal.aborted) this.handDeliver(last);
      });
    this.running.add(running);
  }

  /** Forgets what has been finished for too long, now and from time to time. */
  private forgetExpired(): void {
    const { finishedForMs } = this.retention;
    if (finishedForMs === undefined) return;
    const sweep = () => {
      if (this.book.forgetExpired(Date.now()) > 0) this.onForgotten();
    };
    sweep();
    this.sweeping = new AbortController();
    void repeatEvery(sweepIntervalMs(finishedForMs), this.sweeping.signal, sweep);
  }

  private handOut(record: VideoTaskRecord): void {
    const { key, handle, watchCancelledAt } = record;
    if (this.polling === undefined || handle === undefined) return;
    if (isOver(record) || watchCancelledAt !== undefined) return;
    const before = this.polled.get(key);
    if (before !== undefined && before.taskId === handle.id && !before.stop.signal.aborted) return;
    before?.stop.abort();
    const stop = new AbortController();
    const soon = new Subject<void>();
    this.polled.set(key, { taskId: handle.id, stop, soon });
    const running = this.polling
      .toEnd(record, { signal: stop.signal, soon })
      // One that fails all the same has said so, and takes neither the others nor the process with it.
      .catch(() => undefined)
      .finally(() => {
        this.running.delete(running);
        if (this.polled.get(key)?.stop === stop) this.polled.delete(key);
      });
    this.running.add(running);
  }
}

function required(key: string, record: VideoTaskRecord | undefined): VideoTaskRecord {
  if (record === undefined) throw new Error(`There is no video task with key ${JSON.stringify(key)}.`);
  return record;
}
