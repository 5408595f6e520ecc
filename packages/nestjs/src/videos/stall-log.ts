import { Logger } from "@nestjs/common";
import { Subject, throttleTime } from "rxjs";
import type { VideoTaskRecord } from "./video-task-record.js";
import type { VideoTaskStore } from "./video-task-store.js";

/** The first change is said at once; what comes within this time after it, of however many tasks, is one more line. */
const QUIET_MS = 30_000;

/** Says in the log which tasks cannot be read: a line when that changes, and none per poll or per task. */
export class StallLog {
  private readonly logger = new Logger("VideosService");
  /** Records of tasks that cannot be read, by key. */
  private readonly stalled = new Map<string, VideoTaskRecord>();
  private readonly changes = new Subject<VideoTaskRecord>();
  private readonly subscriptions = [
    this.changes
      .pipe(throttleTime(QUIET_MS, undefined, { leading: true, trailing: true }))
      .subscribe((record) => this.say(record)),
  ];

  constructor(store: VideoTaskStore) {
    this.subscriptions.push(store.changes$.subscribe((record) => this.see(record)));
  }

  close(): void {
    for (const subscription of this.subscriptions) subscription.unsubscribe();
  }

  private see(record: VideoTaskRecord): void {
    const { key, stalled } = record;
    const before = this.stalled.get(key)?.stalled;
    if (stalled?.problem.kind === before?.problem.kind) return;
    if (stalled === undefined) this.stalled.delete(key);
    else this.stalled.set(key, record);
    this.changes.next(record);
  }

  private say({ key, stalled }: VideoTaskRecord): void {
    const { size } = this.stalled;
    const [[first, record] = []] = this.stalled;
    if (record?.stalled === undefined || first === undefined) {
      this.logger.log("All video tasks can be read again.");
      return;
    }
    const last = this.stalled.get(key)?.stalled ?? stalled ?? record.stalled;
    const what = size === 1 ? `Video ${first}` : `${size} video tasks, video ${first} among them,`;
    const since = new Date(record.stalled.since).toISOString();
    this.logger.warn(
      `${what} cannot be read since ${since} (${last.problem.kind}: ${last.problem.message}). What was paid for ` +
        "goes on at the gateway, and is polled on.",
    );
  }
}
