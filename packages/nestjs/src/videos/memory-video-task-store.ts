import type { VideoTask } from "@model-gateway/core";
import { type Observable, Subject } from "rxjs";
import {
  begunRecord,
  isOver,
  isSettled,
  polledRecord,
  troubledRecord,
  type VideoTaskIntent,
  type VideoTaskProblem,
  type VideoTaskRecord,
  type VideoTaskRecordStatus,
} from "./video-task-record.js";
import { type PollVideoTask, VideoTaskStore } from "./video-task-store.js";

/** Settings of a `MemoryVideoTaskStore`. */
export interface MemoryVideoTaskStoreOptions {
  /** Finished tasks that are kept; the oldest are forgotten first. Default 10000. `unknown` ones all stay. */
  maxFinished?: number;
}

/** Keeps video tasks in this process: for development and tests. Everything is forgotten when it ends. */
export class MemoryVideoTaskStore extends VideoTaskStore {
  readonly durable = false;
  readonly changes$: Observable<VideoTaskRecord>;
  private readonly changes = new Subject<VideoTaskRecord>();
  private readonly records = new Map<string, VideoTaskRecord>();
  /** Keys of over and rejected tasks, the first to finish first. */
  private readonly finished = new Set<string>();
  private readonly maxFinished: number;
  private polling: { poll: PollVideoTask; stop: AbortController } | undefined;
  private readonly polls = new Set<Promise<void>>();

  constructor({ maxFinished = 10_000 }: MemoryVideoTaskStoreOptions = {}) {
    super();
    this.maxFinished = maxFinished;
    this.changes$ = this.changes.asObservable();
  }

  async open(poll: PollVideoTask): Promise<void> {
    this.polling = { poll, stop: new AbortController() };
    for (const record of this.records.values()) this.handOut(record);
  }

  async stop(): Promise<void> {
    this.polling?.stop.abort();
    this.polling = undefined;
    await Promise.all(this.polls);
  }

  async close(): Promise<void> {
    // Records stay: an application that is given the same store goes on with them.
  }

  async begin(intent: VideoTaskIntent): Promise<boolean> {
    const previous = this.records.get(intent.key);
    if (previous !== undefined && previous.status !== "rejected") return false;
    // Deleted first, so that the map stays in the order of submission.
    this.records.delete(intent.key);
    this.write(begunRecord(intent, previous));
    return true;
  }

  async accept(key: string, task: VideoTask): Promise<void> {
    this.handOut(this.write(polledRecord(this.require(key), task)));
  }

  async reject(key: string, problem: VideoTaskProblem): Promise<void> {
    this.write(troubledRecord(this.require(key), "rejected", problem));
  }

  async lose(key: string, problem: VideoTaskProblem): Promise<void> {
    const record = this.require(key);
    if (!isOver(record)) this.write(troubledRecord(record, "unknown", problem));
  }

  async update(key: string, task: VideoTask): Promise<void> {
    const record = this.require(key);
    if (!isOver(record)) this.write(polledRecord(record, task));
  }

  async get(key: string): Promise<VideoTaskRecord | undefined> {
    return this.records.get(key);
  }

  async list({ status }: { status?: VideoTaskRecordStatus } = {}): Promise<VideoTaskRecord[]> {
    return [...this.records.values()].filter((record) => status === undefined || record.status === status);
  }

  private require(key: string): VideoTaskRecord {
    const record = this.records.get(key);
    if (record === undefined) throw new Error(`There is no video task with key ${JSON.stringify(key)}.`);
    return record;
  }

  private write(record: VideoTaskRecord): VideoTaskRecord {
    const { key } = record;
    this.records.set(key, record);
    this.finished.delete(key);
    if (isSettled(record) && record.status !== "unknown") this.finish(key);
    this.changes.next(record);
    return record;
  }

  private finish(key: string): void {
    this.finished.add(key);
    if (this.finished.size <= this.maxFinished) return;
    const [oldest] = this.finished;
    if (oldest === undefined) return;
    this.finished.delete(oldest);
    this.records.delete(oldest);
  }

  private handOut(record: VideoTaskRecord): void {
    if (this.polling === undefined || record.handle === undefined || isOver(record)) return;
    const { poll, stop } = this.polling;
    // It rejects when the store refuses a write, which this one does not.
    const running = poll(record, stop.signal).finally(() => this.polls.delete(running));
    this.polls.add(running);
  }
}
