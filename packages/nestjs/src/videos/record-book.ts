import { isFinished, isNewSubmission, isOver, type VideoTaskRecord } from "./video-task-record.js";
import type { ResolvedRetention } from "./video-task-retention.js";

/** So many finished records more than are kept are collected between two looks for the oldest. */
const RESTORED_AT_ONCE = 1_000;

/** The records of one process in the order of submission, without the finished ones that retention lets go. */
export class RecordBook {
  private readonly records = new Map<string, VideoTaskRecord>();
  /** Keys of records that may be forgotten, the first to finish first. */
  private finished = new Set<string>();

  /** How many finished ones are restored before the oldest of them are looked for. */
  private lookAt: number;

  constructor(private readonly retention: ResolvedRetention) {
    this.lookAt = 2 * retention.maxFinished + RESTORED_AT_ONCE;
  }

  get(key: string): VideoTaskRecord | undefined {
    return this.records.get(key);
  }

  values(): Iterable<VideoTaskRecord> {
    return this.records.values();
  }

  /** Takes a record as it stands from now on. */
  put(record: VideoTaskRecord): void {
    this.take(record);
    const [oldest] = this.finished;
    if (this.finished.size > this.retention.maxFinished && oldest !== undefined) this.forget(oldest);
  }

  /** Takes a record that was written at some time; later ones of the same key supersede it. */
  restore(record: VideoTaskRecord): void {
    this.take(record);
    if (this.finished.size < this.lookAt) return;
    this.forgetOldest((key) => isFinal(this.records.get(key)));
    this.lookAt = this.finished.size + this.retention.maxFinished + RESTORED_AT_ONCE;
  }

  /** All that was written is restored. */
  endRestore(): void {
    this.forgetOldest(() => true);
  }

  /** Forgets what has been finished for too long. @returns how many that were */
  forgetExpired(now: number): number {
    const { finishedForMs } = this.retention;
    if (finishedForMs === undefined) return 0;
    const before = this.finished.size;
    for (const key of this.finished) {
      if ((this.records.get(key)?.updatedAt ?? 0) + finishedForMs <= now) this.forget(key);
    }
    return before - this.finished.size;
  }

  private take(record: VideoTaskRecord): void {
    const { key } = record;
    // A new submission goes to the end: the map stays in the order of submission.
    if (isNewSubmission(record, this.records.get(key))) this.records.delete(key);
    this.records.set(key, record);
    this.finished.delete(key);
    if (isFinished(record)) this.finished.add(key);
  }

  /** @param mayGo whether nothing that is still to come can bring the record back */
  private forgetOldest(mayGo: (key: string) => boolean): void {
    const finishedAt = (key: string) => this.records.get(key)?.updatedAt ?? 0;
    this.finished = new Set([...this.finished].sort((one, other) => finishedAt(one) - finishedAt(other)));
    let excess = this.finished.size - this.retention.maxFinished;
    for (const key of this.finished) {
      if (excess <= 0) return;
      if (!mayGo(key)) continue;
      this.forget(key);
      excess -= 1;
    }
  }

  private forget(key: string): void {
    this.finished.delete(key);
    this.records.delete(key);
  }
}

/** Whether a later entry of the same key can only be another submission, and not a change of this one. */
function isFinal(record: VideoTaskRecord | undefined): boolean {
  return record !== undefined && (isOver(record) || record.status === "rejected");
}
