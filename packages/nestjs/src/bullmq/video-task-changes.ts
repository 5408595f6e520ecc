import type { VideoTaskHandle } from "@model-gateway/core";
import { Observable, Subject } from "rxjs";
import { isFinished, type VideoTaskRecord } from "../videos/video-task-record.js";
import { recordOf } from "./video-task-job.js";
import type { VideoTaskQueue } from "./video-task-queue.js";

/** Versions remembered to tell news from repetitions; a repetition does no harm. */
const MAX_TOLD = 10_000;

/** Tells of changes, in the order of their versions, each once however many ways it is heard of. */
export class VideoTaskChanges {
  readonly changes$: Observable<VideoTaskRecord>;
  private readonly changes = new Subject<VideoTaskRecord>();
  /** Version last told, by key. */
  private readonly told = new Map<string, number>();
  /** Handles of the tasks that were open when last heard of, by key. */
  private readonly open = new Map<string, VideoTaskHandle | undefined>();
  /** Jobs whose record is being read, with whether it has to be read again after that. */
  private readonly reading = new Map<string, boolean>();

  /** @param onSubscribe somebody wants to know */
  constructor(onSubscribe: () => void) {
    this.changes$ = new Observable((subscriber) => {
      const subscription = this.changes.subscribe(subscriber);
      onSubscribe();
      return subscription;
    });
  }

  get observed(): boolean {
    return this.changes.observed;
  }

  /** After a write of this process: each of them is told. */
  async written(queue: VideoTaskQueue, id: string): Promise<void> {
    const job = await queue.findById(id);
    if (job !== undefined) this.tell(recordOf(job));
  }

  /** After an event. What comes in while the record is being read is read once more, once. */
  async heard(queue: VideoTaskQueue, id: string): Promise<void> {
    if (this.reading.has(id)) {
      this.reading.set(id, true);
      return;
    }
    try {
      do {
        this.reading.set(id, false);
        await this.written(queue, id);
      } while (this.reading.get(id));
    } finally {
      this.reading.delete(id);
    }
  }

  /** After events were missed, or records lost. @returns those that were open and are not there any more */
  async missed(queue: VideoTaskQueue): Promise<Map<string, VideoTaskHandle | undefined>> {
    const before = new Set(this.open.keys());
    const records = (await queue.all(true)).map(recordOf);
    const there = new Set(records.map(({ key }) => key));
    for (const record of records) this.tell(record);
    const gone = new Map<string, VideoTaskHandle | undefined>();
    for (const key of before) {
      // One that moved on while all were read is there all the same.
      if (there.has(key) || (await queue.find(key)) !== undefined) continue;
      gone.set(key, this.open.get(key));
      this.open.delete(key);
      this.told.delete(key);
    }
    return gone;
  }

  private tell(record: VideoTaskRecord): void {
    const { key, handle, version } = record;
    if (isFinished(record)) this.open.delete(key);
    else this.open.set(key, handle);
    if (version <= (this.told.get(key) ?? 0)) return;
    this.told.delete(key);
    this.told.set(key, version);
    const [oldest] = this.told.keys();
    if (this.told.size > MAX_TOLD && oldest !== undefined) this.told.delete(oldest);
    this.changes.next(record);
  }
}
