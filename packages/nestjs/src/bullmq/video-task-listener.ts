import { QueueEvents, type QueueEventsListener } from "bullmq";
import { forWaiting } from "./connection-options.js";
import {
  CHANGED,
  closeSoon,
  type QueueSettings,
  readySoon,
  type VideoTaskQueue,
} from "./video-task-queue.js";

interface Listened extends QueueEventsListener {
  [CHANGED]: (event: { jobId?: string; by?: string }) => void;
}

/** What a listener tells of. */
export interface ListenerEvents {
  /** Another process may have changed the record of a job. */
  changed(jobId: string): void;
  /** Events may have been missed. */
  interrupted(): void;
  error(error: Error): void;
}

/** With PostgreSQL, a missed notification costs so long. */
const BLOCK_MS = 2_000;

/** Hears of changes that other processes make. */
export class VideoTaskListener {
  private interrupted = false;

  private constructor(
    private readonly queueEvents: QueueEvents,
    private readonly events: ListenerEvents,
  ) {}

  /** @param by the process that listens, whose own changes are no news */
  static async start(
    queue: VideoTaskQueue,
    { name, connection, backend, prefix }: QueueSettings,
    by: string,
    events: ListenerEvents,
  ): Promise<VideoTaskListener> {
    // From an event of its own on: between its first two reads, a listener that wants only new ones could miss some.
    const lastEventId = await queue.publish({ by });
    const options = {
      connection: forWaiting(connection, backend),
      ...(prefix !== undefined && { prefix }),
      lastEventId,
      blockingTimeout: BLOCK_MS,
    };
    const queueEvents = new QueueEvents(name, options, backend as never);
    const listener = new VideoTaskListener(queueEvents, events);
    queueEvents.on("ioredis:close", () => {
      listener.interrupted = true;
    });
    queueEvents.on("error", (error) => {
      listener.interrupted = true;
      events.error(error);
    });
    queueEvents.on("progress", ({ jobId }) => listener.hear(jobId));
    // After each poll and after the last: make up for an event that got lost.
    queueEvents.on("delayed", ({ jobId }) => listener.hear(jobId));
    queueEvents.on("completed", ({ jobId }) => listener.hear(jobId));
    queueEvents.on<Listened, typeof CHANGED>(CHANGED, (event) => {
      if (event.by !== by) listener.hear(event.jobId);
    });
    await readySoon(queueEvents);
    return listener;
  }

  async stop(): Promise<void> {
    await closeSoon(this.queueEvents);
  }

  private hear(jobId: string | undefined): void {
    if (this.interrupted) {
      this.interrupted = false;
      this.events.interrupted();
    }
    if (jobId) this.events.changed(jobId);
  }
}
