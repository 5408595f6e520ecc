import type { VideoTask } from "@model-gateway/core";
import { DelayedError, type Job, Worker } from "bullmq";
import { firstValueFrom, fromEvent } from "rxjs";
import { repeatEvery } from "../streams/repeat-every.js";
import {
  deliveryRecord,
  hasDueDeliveries,
  type VideoDelivery,
  withDueDeliveries,
} from "../videos/video-delivery.js";
import {
  isFinished,
  isOver,
  type KeptResult,
  keepingRecord,
  polledRecord,
  stalledRecord,
  troubledRecord,
  type VideoTaskKeeping,
  type VideoTaskProblem,
  type VideoTaskRecord,
  type VideoTaskStall,
} from "../videos/video-task-record.js";
import { type ResolvedRetention, sweepIntervalMs } from "../videos/video-task-retention.js";
import type { VideoTaskPolling } from "../videos/video-task-store.js";
import { forWaiting } from "./connection-options.js";
import {
  currentPolls,
  failedData,
  type PollData,
  polledData,
  recordOf,
  type SubmissionData,
  sameStanding,
  type VideoTaskJob,
} from "./video-task-job.js";
import {
  type AnyJobData,
  closeSoon,
  ENDLESS,
  isTask,
  MARK,
  MARK_MS,
  type QueueSettings,
  readySoon,
  SOON,
  SOON_MS,
  TURN,
  type VideoTaskQueue,
} from "./video-task-queue.js";
import { withinMs } from "./within-ms.js";

/** Settings of the polls of one process. */
export interface WorkerSettings extends QueueSettings {
  concurrency: number;
  lockDurationMs: number;
  retention: ResolvedRetention;
}

/** What the store wants to know of its worker. */
export interface WorkerEvents {
  /** A record may have changed. */
  changed(jobId: string): Promise<void>;
  /** A job was taken from a process that died or stood still. */
  stalled(): void;
  error(error: Error): void;
}

const LEFT_BEHIND: VideoTaskProblem = {
  kind: "other",
  message:
    "Nothing was written down of how the submission of this video ended, as when the process ends meanwhile. It may " +
    "have been paid for; nothing sends it again.",
};
/** Records of unknown outcome stay, and those that wait; a look once a day finds what went unnoticed. */
export const LOOK_AGAIN_MS = 24 * 60 * 60 * 1_000;

/** What was written while a job had its turn is found at the next one, if that does not take longer to come. */
const SOON_ENOUGH_MS = 2_000;

/** Has turns at the jobs of the queue: one run of a job is one poll of its task. */
export class VideoTaskWorker {
  private readonly worker: Worker<AnyJobData, PollData | null>;
  /** Jobs of the tasks that are being polled here right now, by key. */
  private readonly turns = new Map<string, VideoTaskJob>();
  private stopping = false;
  /** Jobs whose handlers are being called here. */
  private delivering = 0;
  private readonly sweeping = new AbortController();
  /** Set while no poll of this process is answered: one at a time, so far apart. Other processes may have better luck. */
  private probes: { everyMs: number; nextAt: number } | undefined;

  constructor(
    private readonly queue: VideoTaskQueue,
    private readonly polling: VideoTaskPolling,
    private readonly settings: WorkerSettings,
    private readonly events: WorkerEvents,
  ) {
    const { backend, prefix, concurrency, lockDurationMs, retention } = settings;
    this.worker = new Worker<AnyJobData, PollData | null>(
      settings.name,
      // With three parameters BullMQ makes the signal.
      (job, token, signal) => this.run(job, token ?? "", signal ?? new AbortController().signal),
      {
        connection: forWaiting(settings.connection, backend),
        ...(prefix !== undefined && { prefix }),
        autorun: false,
        concurrency: concurrency + (polling.delivering?.concurrency ?? 0),
        lockDuration: lockDurationMs,
        stalledInterval: lockDurationMs / 2,
        maxStalledCount: ENDLESS,
        // A server that comes back is used again after so long.
        runRetryDelay: 1_000,
        // A worker that is closed while it learns of a pause sits out one such wait.
        maximumRateLimitDelay: 1_000,
        removeOnComplete: { count: retention.maxFinished },
      },
      backend as never,
    );
    this.worker.on("error", events.error);
    this.worker.on("stalled", () => events.stalled());
    this.worker.on("lockRenewalFailed", (ids) => {
      for (const id of ids) this.worker.cancelJob(id);
    });
  }

  /** Begins to poll. Resolves when it is connected. @throws when the server refuses */
  async start(): Promise<void> {
    await readySoon(this.worker);
    // Not before: without a connection, BullMQ's loop would go round without a pause, and nothing else would run.
    this.worker
      .waitUntilReady()
      .then(() => (this.stopping ? undefined : this.worker.run()))
      .catch(this.events.error);
    await this.forgetExpired();
  }

  /** Aborts the polls of this process and hands their jobs back. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.sweeping.abort();
    this.worker.cancelAllJobs();
    // Jobs that cannot be handed back are taken over when their locks run out.
    const force = !(await this.queue.answers());
    await closeSoon({ close: () => this.worker.close(force), disconnect: () => this.worker.disconnect() });
  }

  /** Writes what the poll of a task saw, if it is polled here; false when it is not. */
  async update(key: string, task: VideoTask, kept?: KeptResult): Promise<boolean> {
    return this.write(key, (record) => polledRecord(record, task, kept));
  }

  /** As `update`, of a task whose files are being kept. */
  async keep(key: string, keeping: VideoTaskKeeping): Promise<boolean> {
    return this.write(key, (record) => keepingRecord(record, keeping));
  }

  /** As `update`, of a poll that failed. */
  async stall(key: string, stalled: VideoTaskStall): Promise<boolean> {
    const job = this.turns.get(key);
    if (job === undefined) return false;
    const record = recordOf(job);
    if (isOver(record)) return true;
    const next = stalledRecord(record, stalled);
    if (next.version === record.version) await job.updateProgress(failedData(job, next, stalled.failedPolls));
    else {
      await job.updateProgress(polledData(job, next, stalled.failedPolls));
      await this.events.changed(job.id ?? "");
    }
    return true;
  }

  /** Writes how a call of a handler stands, if its task is in hand here; false when it is not. */
  async deliver(key: string, delivery: VideoDelivery): Promise<boolean> {
    const job = this.turns.get(key);
    if (job === undefined) return false;
    const record = recordOf(job);
    const next = deliveryRecord(record, delivery);
    if (next === undefined) return true;
    await job.updateProgress(polledData(job, next, 0));
    await this.events.changed(job.id ?? "");
    return true;
  }

  /** Forgets what has been finished for too long, now and from time to time: BullMQ does so only when a job ends. */
  private async forgetExpired(): Promise<void> {
    const { finishedForMs } = this.settings.retention;
    if (finishedForMs === undefined) return;
    const sweep = () => this.queue.forgetFinished(finishedForMs).catch(this.events.error);
    await sweep();
    void repeatEvery(sweepIntervalMs(finishedForMs), this.sweeping.signal, sweep);
  }

  private async run(job: Job<AnyJobData, PollData | null>, token: string, signal: AbortSignal) {
    if (isTask(job)) return this.runTask(job, token, signal);
    if (job.name === SOON && "jobId" in job.data) {
      if (await this.queue.hasten(job.data.jobId)) return null;
      await job.moveToDelayed(Date.now() + SOON_MS, token);
      throw new DelayedError();
    }
    if (job.name === MARK || job.name === TURN) {
      await job.moveToDelayed(Date.now() + MARK_MS, token);
      throw new DelayedError();
    }
    // And claims that have had their time.
    return null;
  }

  private async runTask(job: VideoTaskJob, token: string, signal: AbortSignal): Promise<null> {
    const { id = "" } = job;
    const { basis, round } = job.data;
    const nextMs = this.stopping ? 0 : await this.turn(job, signal);
    // Moved here and not by returning, so that the job can be looked at once more when it has come to rest.
    if (nextMs === undefined) await job.moveToCompleted(currentPolls(job) ?? null, token, false);
    else {
      const dueAt = Date.now() + Math.ceil(nextMs);
      await this.queue.rank(job, dueAt);
      await job.moveToDelayed(dueAt, token);
    }
    if (nextMs === undefined || nextMs > SOON_ENOUGH_MS)
      await this.lookOnceMore(id, { basis, round }, hasDueDeliveries(recordOf(job)));
    throw new DelayedError();
  }

  /** @returns milliseconds until the next turn; undefined when there is none */
  private async turn(job: VideoTaskJob, signal: AbortSignal): Promise<number | undefined> {
    const record = recordOf(job);
    if (isFinished(record)) return undefined;
    if (hasDueDeliveries(record)) return this.deliverDue(job, signal);
    if (isOver(record)) return LOOK_AGAIN_MS;
    // Also one that was not over in time, which is looked at once a day.
    if (record.handle !== undefined) return this.poll(job, record, signal);
    if (record.status === "submitting") {
      const leaseMs = record.updatedAt + this.settings.submissionLeaseMs - Date.now();
      if (leaseMs > 0) return leaseMs;
      const lost = troubledRecord(record, "unknown", LEFT_BEHIND);
      if (lost !== undefined) await job.updateProgress(polledData(job, this.withDue(record, lost), 0));
      await this.events.changed(job.id ?? "");
    }
    return this.deliverDue(job, signal);
  }

  /** Calls the handlers that are due of a job that has its turn. @returns milliseconds until the next turn */
  private async deliverDue(job: VideoTaskJob, signal: AbortSignal): Promise<number | undefined> {
    const { delivering } = this.polling;
    const record = recordOf(job);
    if (!hasDueDeliveries(record)) return isFinished(record) ? undefined : LOOK_AGAIN_MS;
    if (delivering === undefined) return LOOK_AGAIN_MS;
    if (this.delivering >= Math.max(1, delivering.concurrency)) return SOON_MS;
    this.resize();
    this.delivering += 1;
    this.turns.set(record.key, job);
    try {
      const nextMs = await delivering.once(record, { signal });
      return nextMs ?? (isFinished(recordOf(job)) ? undefined : LOOK_AGAIN_MS);
    } finally {
      this.turns.delete(record.key);
      this.delivering -= 1;
    }
  }

  private withDue(previous: VideoTaskRecord, record: VideoTaskRecord): VideoTaskRecord {
    const { delivering } = this.polling;
    return withDueDeliveries(previous, record, delivering && ((status) => delivering.handlersOf(status)));
  }

  /** Handlers, of which some may have come later, take no place that a poll could have. */
  private resize(): void {
    const polls = this.probes === undefined ? this.settings.concurrency : 1;
    this.worker.concurrency = polls + (this.polling.delivering?.concurrency ?? 0);
  }

  private async poll(
    job: VideoTaskJob,
    record: VideoTaskRecord,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const waitMs = this.untilProbe();
    // Not held here meanwhile: another process may read it.
    if (waitMs === undefined) return SOON_MS;
    if (waitMs > 0) await withinMs(waitMs, aborted(signal));
    if (signal.aborted) return 0;
    this.turns.set(record.key, job);
    try {
      const failedBefore = currentPolls(job)?.failedPolls ?? 0;
      const { nextPollMs, failedPolls, pauseMs, probeMs } = await this.polling.once(record, {
        signal,
        failedPolls: failedBefore,
      });
      if (signal.aborted) return 0;
      this.probe(probeMs);
      if (pauseMs !== undefined) await this.queue.pause(pauseMs);
      if (failedPolls !== (currentPolls(job)?.failedPolls ?? 0))
        await job.updateProgress(failedData(job, recordOf(job), failedPolls));
      // Somebody else may have written the end meanwhile: this turn is the one that calls handlers of it.
      if (nextPollMs !== undefined && !hasDueDeliveries(recordOf(job))) return nextPollMs;
    } finally {
      this.turns.delete(record.key);
    }
    return this.deliverDue(job, signal);
  }

  /** Slows this process down, or lets it go on as before. */
  private probe(everyMs: number | undefined): void {
    if ((everyMs === undefined) === (this.probes === undefined)) return;
    this.probes = everyMs === undefined ? undefined : { everyMs, nextAt: performance.now() + everyMs };
    this.resize();
  }

  /** @returns milliseconds until this process may poll; undefined when others here come first */
  private untilProbe(): number | undefined {
    if (this.probes === undefined) return 0;
    const now = performance.now();
    const { nextAt, everyMs } = this.probes;
    if (nextAt - now > everyMs) return undefined;
    this.probes.nextAt = Math.max(now, nextAt) + everyMs;
    return Math.max(0, nextAt - now);
  }

  /** One who submits, reconciles or writes an end could do nothing for a job that was having its turn. */
  private async lookOnceMore(
    id: string,
    { basis, round }: Pick<SubmissionData, "basis" | "round">,
    wasDue: boolean,
  ): Promise<void> {
    const job = await this.queue.findById(id);
    if (job === undefined) return;
    const isNews = job.data.basis !== basis || job.data.round !== round;
    if (isNews || (!wasDue && hasDueDeliveries(recordOf(job)))) await this.queue.makeDue(id, 0);
  }

  private async write(key: string, next: (record: VideoTaskRecord) => VideoTaskRecord): Promise<boolean> {
    const job = this.turns.get(key);
    if (job === undefined) return false;
    const record = recordOf(job);
    if (isOver(record)) return true;
    const written = polledData(job, this.withDue(record, next(record)), 0);
    if (sameStanding(written.standing, record, job.data.round)) return true;
    await job.updateProgress(written);
    await this.events.changed(job.id ?? "");
    return true;
  }
}

function aborted(signal: AbortSignal): Promise<unknown> {
  return firstValueFrom(fromEvent(signal, "abort"));
}
