import { randomUUID } from "node:crypto";
import { ConfigurationError, type VideoTask, type VideoTaskHandle } from "@model-gateway/core";
import { Logger } from "@nestjs/common";
import { defer, NEVER, type Observable, repeat, Subject, type Subscription, timeout } from "rxjs";
import { pause } from "../streams/pause.js";
import { matchesFilter } from "../videos/matches-filter.js";
import {
  deliveryRecord,
  hasDueDeliveries,
  redeliveredRecord,
  type VideoDelivery,
  withDueDeliveries,
} from "../videos/video-delivery.js";
import {
  acceptedRecord,
  begunRecord,
  cancelledRecord,
  isDue,
  isOver,
  isSettled,
  isWaiting,
  type KeptResult,
  keepingRecord,
  polledRecord,
  refusedRecord,
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
} from "../videos/video-task-record.js";
import { resolveRetention, type VideoTaskRetention } from "../videos/video-task-retention.js";
import {
  type VideoTaskDelivering,
  type VideoTaskLimits,
  type VideoTaskLine,
  type VideoTaskPolling,
  type VideoTaskQuery,
  VideoTaskStore,
} from "../videos/video-task-store.js";
import { backends, type VideoTaskBackend } from "./backends.js";
import type { VideoTaskConnection } from "./connection-options.js";
import { VideoTaskChanges } from "./video-task-changes.js";
import {
  begunData,
  cancelledData,
  failedData,
  jobIdOf,
  polledData,
  recordOf,
  redeliveredData,
  statedData,
  type VideoTaskJob,
} from "./video-task-job.js";
import { VideoTaskListener } from "./video-task-listener.js";
import { bySubmission, VideoTaskQueue } from "./video-task-queue.js";
import { VideoTaskTurns } from "./video-task-turns.js";
import { LOOK_AGAIN_MS, VideoTaskWorker, type WorkerSettings } from "./video-task-worker.js";

/** Settings of a `BullMqVideoTaskStore`. Durations are milliseconds. */
export interface BullMqVideoTaskStoreOptions {
  /** URL, options of a client, or a client: of Redis, or of what `backend` is for. */
  connection: VideoTaskConnection;
  /** `createPostgresBackend` of BullMQ 6, to keep the tasks in PostgreSQL. Default: Redis, all that BullMQ 5 has. */
  backend?: VideoTaskBackend;
  /** All processes that share tasks have the same; no others. Default `model-gateway-videos`. */
  queueName?: string;
  /** Of the names of all keys in Redis. Default: BullMQ's, `bull`. */
  prefix?: string;
  /** Polls that one process has under way at once, beside `videos.handlers.concurrency` for handlers. Default 50. */
  concurrency?: number;
  /**
   * How long a submission may take before it is `unknown`. A task id that comes later still counts. Must be longer
   * than the time-out of core. Default 300000.
   */
  submissionLeaseMs?: number;
  /** After so long without a sign of life of the process that polls a task, another one goes on. Default 30000. */
  lockDurationMs?: number;
  /** What is forgotten of finished tasks. All processes that share tasks have the same. */
  retention?: VideoTaskRetention;
}

/** Of a submission that somebody else wants to send at the moment. */
const MAX_CLAIMS = 20;
const CLAIM_AGAIN_MS = 50;
const STALLED_FOR_MS = 300_000;
/** So soon it is noticed that the server was emptied. */
const LOOK_MS = 5_000;
/** More are counted, and not named, in one line of the log. */
const MAX_NAMED = 100;
/** More than this, in seconds of polling, is a backlog to tell of. */
const BACKLOG_SECONDS = 60;
/**
 * Keeps video tasks in a BullMQ queue, on Redis or PostgreSQL: for any number of processes. They share the tasks and
 * the rate of polls; when one dies, the others go on with its tasks.
 *
 * A task is a delayed job that comes back until the task is over. Redis must persist (`appendonly yes`) and evict
 * nothing (`maxmemory-policy noeviction`); PostgreSQL must be 13 or later and have BullMQ's tables (`migrate: true`
 * in `connection`, or `runMigrations` of BullMQ). When the server does not answer, every call rejects: `submit` then
 * fails before anything is paid.
 *
 * `list` reads all tasks that are kept; no finished ones for the statuses `submitting` and `unknown`, for `waiting: true`,
 * `stalled: true` and `finished: false`, and for deliveries that are `due` or `dead`.
 *
 * @example
 * new BullMqVideoTaskStore({ connection: "redis://localhost:6379" })
 * new BullMqVideoTaskStore({ connection: { connectionString, migrate: true }, backend: createPostgresBackend })
 */
export class BullMqVideoTaskStore extends VideoTaskStore {
  readonly durable = true;
  override readonly shared = true;
  readonly changes$: Observable<VideoTaskRecord>;

  override readonly lost$: Observable<Error>;

  private readonly lost = new Subject<Error>();
  private readonly changes: VideoTaskChanges;
  private readonly logger = new Logger("BullMqVideoTaskStore");
  private readonly settings: WorkerSettings;
  /** Names this process. */
  private readonly id = randomUUID();
  private sequence = 0;
  private connected: { queue: VideoTaskQueue; turns: VideoTaskTurns } | undefined;
  private heard: Subscription | undefined;
  private worker: VideoTaskWorker | undefined;
  private listener: Promise<VideoTaskListener> | undefined;
  private delivering: VideoTaskDelivering | undefined;
  private ratePerSecond = Number.POSITIVE_INFINITY;
  private stalledAt = Number.NEGATIVE_INFINITY;
  private lastError = "";
  /** Names what the server held when it was last looked at. */
  private generation: string | undefined;
  private looking: Subscription | undefined;
  /** What was lost, for `troubles`, until the process ends: somebody has to look into it. */
  private losses: string[] = [];

  constructor({
    connection,
    backend = backends.redis,
    queueName = "model-gateway-videos",
    prefix,
    concurrency = 50,
    submissionLeaseMs = 300_000,
    lockDurationMs = 30_000,
    retention,
  }: BullMqVideoTaskStoreOptions) {
    super();
    if (backend !== undefined && backends.redis === undefined) {
      throw new ConfigurationError(
        "Option backend of BullMqVideoTaskStore needs BullMQ 6; the BullMQ 5 that is installed keeps tasks in Redis.",
      );
    }
    const numbers = { concurrency, submissionLeaseMs, lockDurationMs };
    for (const [name, value] of Object.entries(numbers)) {
      if (Number.isInteger(value) && value > 0) continue;
      throw new ConfigurationError(
        `Option ${name} of BullMqVideoTaskStore must be a whole number above 0, and not ${value}.`,
      );
    }
    this.settings = {
      connection,
      backend,
      name: queueName,
      prefix,
      ...numbers,
      retention: resolveRetention("BullMqVideoTaskStore", retention),
    };
    this.changes = new VideoTaskChanges(() => void this.listen().catch(this.report));
    this.changes$ = this.changes.changes$;
    this.lost$ = this.lost.asObservable();
  }

  async open(polling: VideoTaskPolling): Promise<void> {
    const queue = await VideoTaskQueue.connect(this.settings, this.report);
    this.connected = { queue, turns: new VideoTaskTurns(queue, this.settings.lockDurationMs) };
    this.ratePerSecond = polling.ratePerSecond;
    this.delivering = polling.delivering;
    try {
      await this.start(queue, polling);
    } catch (error) {
      await this.stop();
      await this.close();
      throw error;
    }
  }

  async stop(): Promise<void> {
    const { worker } = this;
    this.looking?.unsubscribe();
    this.worker = undefined;
    await worker?.stop();
  }

  async close(): Promise<void> {
    const { connected, listener } = this;
    this.connected = undefined;
    this.listener = undefined;
    this.heard?.unsubscribe();
    this.heard = undefined;
    await Promise.all([
      listener?.then((started) => started.stop()).catch(this.report),
      connected?.queue.close(),
    ]);
  }

  async begin(intent: VideoTaskIntent): Promise<boolean> {
    const startedAt = performance.now();
    const nonce = `${this.id}-${++this.sequence}`;
    const begun = begunData(begunRecord(intent), nonce, this.sequence);
    const { submissionLeaseMs } = this.settings;
    const job = await this.queue.add(begun, intent.waiting === undefined ? submissionLeaseMs : LOOK_AGAIN_MS);
    if (job.data.nonce !== nonce) {
      if (recordOf(job).status !== "rejected" || !(await this.queue.claim(job, begun))) return false;
      const revision = job.data.revision + 1;
      await this.queue.write(job, { ...begun, revision, basis: revision }, this.id);
      // After the lease of the claim, another process may have begun too.
      if (performance.now() - startedAt > submissionLeaseMs / 2) return false;
      await this.queue.makeDue(job.id ?? "", submissionLeaseMs);
    } else {
      await this.queue.announce(job, this.id);
    }
    await this.changes.written(this.queue, job.id ?? "");
    return true;
  }

  async accept(key: string, task: VideoTask): Promise<void> {
    const job = await this.state(key, (record) => acceptedRecord(record, task));
    if (job !== undefined) await this.queue.makeDue(job.id ?? "", 0);
  }

  async take(key: string, limits: VideoTaskLimits): Promise<VideoTaskRecord | undefined> {
    const waiting = await this.queue.require(key);
    this.turns.forget(recordOf(waiting));
    if (!isDue(recordOf(waiting))) return undefined;
    return this.turns.claim(waiting, limits, async (job, record) => {
      const taken = takenRecord(record);
      if (taken === undefined) return undefined;
      await this.queue.write(job, statedData(job.data, taken), this.id);
      await this.queue.makeDue(job.id ?? "", this.settings.submissionLeaseMs);
      await this.changes.written(this.queue, job.id ?? "");
      return record;
    });
  }

  async putBack(key: string, waiting: VideoTaskWait): Promise<void> {
    const job = await this.state(key, (record) => returnedRecord(record, waiting));
    if (job !== undefined) await this.turns.leave(job);
  }

  async refuse(key: string, problem: VideoTaskProblem): Promise<void> {
    const job = await this.state(key, (record) => refusedRecord(record, problem));
    if (job !== undefined) await this.queue.makeDue(job.id ?? "", 0);
  }

  async cancel(key: string): Promise<boolean> {
    for (let attempt = 0; attempt < MAX_CLAIMS; attempt++) {
      const waiting = await this.queue.require(key);
      if (!isWaiting(recordOf(waiting))) return false;
      const isCancelled = await this.turns.claim(waiting, undefined, async (job, record) => {
        const cancelled = cancelledRecord(record);
        if (cancelled === undefined) return false;
        await this.queue.write(
          job,
          statedData(job.data, this.withDue(record, cancelled) ?? cancelled),
          this.id,
        );
        await this.queue.makeDue(job.id ?? "", 0);
        await this.changes.written(this.queue, job.id ?? "");
        return true;
      });
      if (isCancelled !== undefined) return isCancelled;
      // Somebody wants to send it, and may have to step back.
      await pause(CLAIM_AGAIN_MS);
    }
    return false;
  }

  override async line(): Promise<VideoTaskLine> {
    this.heard ??= this.changes$.subscribe((record) => this.turns.forget(record));
    return this.turns.line();
  }

  async reject(key: string, problem: VideoTaskProblem): Promise<void> {
    await this.state(key, (record) => troubledRecord(record, "rejected", problem));
  }

  async lose(key: string, problem: VideoTaskProblem): Promise<void> {
    await this.find(key, (record) => troubledRecord(record, "unknown", problem));
  }

  async update(key: string, task: VideoTask, kept?: KeptResult): Promise<void> {
    if (await this.worker?.update(key, task, kept)) return;
    await this.find(key, (record) => polledRecord(record, task, kept));
  }

  async keep(key: string, keeping: VideoTaskKeeping): Promise<void> {
    if (await this.worker?.keep(key, keeping)) return;
    await this.find(key, (record) => keepingRecord(record, keeping));
  }

  async stall(key: string, stalled: VideoTaskStall): Promise<void> {
    if (await this.worker?.stall(key, stalled)) return;
    await this.find(key, (record) => stalledRecord(record, stalled), stalled.failedPolls);
  }

  /** Does nothing for a task without a handle: that one is not polled. */
  async cancelWatch(key: string, problem?: VideoTaskProblem): Promise<void> {
    const job = await this.queue.require(key);
    const record = recordOf(job);
    if (isOver(record) || record.handle === undefined) return;
    await this.queue.write(job, cancelledData(job.data, unwatchedRecord(record, problem)), this.id);
    await this.changes.written(this.queue, job.id ?? "");
  }

  async deliver(key: string, delivery: VideoDelivery): Promise<void> {
    if (await this.worker?.deliver(key, delivery)) return;
    const job = await this.queue.require(key);
    const delivered = deliveryRecord(recordOf(job), delivery);
    if (delivered === undefined) return;
    await this.queue.writePolls(job, polledData(job, delivered, 0));
    await this.changes.written(this.queue, job.id ?? "");
  }

  async redeliver(key: string): Promise<void> {
    const job = await this.queue.require(key);
    if (redeliveredRecord(recordOf(job)) === undefined) return;
    await this.queue.write(job, redeliveredData(job.data), this.id);
    await this.queue.makeDue(job.id ?? "", 0);
    await this.changes.written(this.queue, job.id ?? "");
  }

  async pollSoon(key: string): Promise<void> {
    const record = await this.get(key);
    if (record?.handle === undefined || isSettled(record)) return;
    const id = jobIdOf(key);
    if (!(await this.queue.hasten(id))) await this.queue.hastenLater(id);
  }

  async get(key: string): Promise<VideoTaskRecord | undefined> {
    const job = await this.queue.find(key);
    return job && recordOf(job);
  }

  async list({ before, limit, ...filter }: VideoTaskQuery = {}): Promise<VideoTaskRecord[]> {
    const { status, stalled, finished, delivery, waiting } = filter;
    const isUndelivered = delivery !== undefined && delivery !== "delivered";
    const isOpen =
      status === "unknown" ||
      status === "submitting" ||
      waiting === true ||
      stalled === true ||
      finished === false ||
      isUndelivered;
    const end = before === undefined ? undefined : await this.queue.require(before);
    const jobs = await this.queue.all(!isOpen);
    const records = jobs
      .filter((job) => end === undefined || bySubmission(job, end) < 0)
      .map(recordOf)
      .filter((record) => matchesFilter(record, filter));
    return limit === undefined ? records : records.slice(-limit);
  }

  override async troubles(): Promise<string[]> {
    const troubles = [...this.losses];
    try {
      const pausedForMs = await this.queue.pausedForMs();
      if (pausedForMs > 0) {
        const seconds = Math.ceil(pausedForMs / 1_000);
        troubles.push(`The gateway asked to slow down: no video task is polled for ${seconds} seconds.`);
      }
      const waiting = await this.queue.waiting();
      if (waiting / this.ratePerSecond > BACKLOG_SECONDS)
        troubles.push(`${waiting} video tasks are due and wait for their poll: raise videos.ratePerSecond.`);
    } catch (error) {
      troubles.push(String(error instanceof Error ? error.message : error));
    }
    if (performance.now() - this.stalledAt < STALLED_FOR_MS)
      troubles.push("A process died or stood still while it polled video tasks; others went on with them.");
    return troubles;
  }

  private async start(queue: VideoTaskQueue, polling: VideoTaskPolling): Promise<void> {
    await queue.limitRate(polling.ratePerSecond);
    for (const warning of await queue.warnings().catch(() => [])) this.logger.warn(warning);
    this.generation = await queue.mark();
    this.looking = NEVER.pipe(
      timeout({ first: LOOK_MS, with: () => defer(() => this.look(queue).catch(this.report)) }),
      repeat(),
    ).subscribe();
    await this.listen();
    this.worker = new VideoTaskWorker(queue, polling, this.settings, {
      changed: (id) => this.changes.written(queue, id),
      stalled: () => {
        this.stalledAt = performance.now();
      },
      error: (error) => {
        if (this.worker !== undefined) this.report(error);
      },
    });
    await this.worker.start();
  }

  /** Whether the server still holds what it held. */
  private async look(queue: VideoTaskQueue): Promise<void> {
    const generation = await queue.generation();
    if (generation === this.generation) return;
    // What was set up at the start is gone, too.
    await queue.limitRate(this.ratePerSecond);
    this.generation = await queue.mark();
    const gone = await this.changes.missed(queue);
    this.tellLoss("was emptied, or came back without what it had acknowledged", gone);
  }

  private tellLoss(what: string, gone: Map<string, VideoTaskHandle | undefined>): void {
    const named = [...gone]
      .slice(0, MAX_NAMED)
      .map(([key, handle]) => `${key} (${handle?.id ?? "no task id"})`);
    const more = gone.size > MAX_NAMED ? ` and ${gone.size - MAX_NAMED} more` : "";
    const message = `The server of the video tasks (queue ${this.settings.name}) ${what}.`;
    const advice =
      "Tasks that were open are polled no more, and what was paid for goes on at the gateway: look into the usage records " +
      "of the API key.";
    this.losses = [`${message} ${gone.size} open tasks that this process knew are gone. ${advice}`];
    const known = gone.size === 0 ? "none" : `${named.join(", ")}${more}`;
    this.logger.error(`${message} ${advice} Open tasks that this process knew, with their ids: ${known}.`);
    this.lost.next(new Error(message));
  }

  private get queue(): VideoTaskQueue {
    return this.parts.queue;
  }

  private get turns(): VideoTaskTurns {
    return this.parts.turns;
  }

  private get parts(): { queue: VideoTaskQueue; turns: VideoTaskTurns } {
    if (this.connected === undefined) throw new Error("The store of video tasks is not open.");
    return this.connected;
  }

  /** Writes how a task stands, unless it is over; undefined when it is. */
  private async state(
    key: string,
    next: (record: VideoTaskRecord) => VideoTaskRecord | undefined,
  ): Promise<VideoTaskJob | undefined> {
    const job = await this.queue.require(key);
    const record = recordOf(job);
    const stated = isOver(record) ? undefined : this.withDue(record, next(record));
    if (stated === undefined) return undefined;
    await this.queue.write(job, statedData(job.data, stated), this.id);
    await this.changes.written(this.queue, job.id ?? "");
    return job;
  }

  /** Writes what was found, as a poll does: it overwrites no task id that another process writes meanwhile. */
  private async find(
    key: string,
    next: (record: VideoTaskRecord) => VideoTaskRecord | undefined,
    failedPolls = 0,
  ): Promise<void> {
    const job = await this.queue.require(key);
    const record = recordOf(job);
    const found = isOver(record) ? undefined : this.withDue(record, next(record));
    if (found === undefined) return;
    const isNews = found.version !== record.version;
    await this.queue.writePolls(job, (isNews ? polledData : failedData)(job, found, failedPolls));
    if (isNews) await this.changes.written(this.queue, jobIdOf(key));
    if (hasDueDeliveries(found)) await this.queue.makeDue(jobIdOf(key), 0);
  }

  private withDue(
    previous: VideoTaskRecord,
    record: VideoTaskRecord | undefined,
  ): VideoTaskRecord | undefined {
    const { delivering } = this;
    return (
      record && withDueDeliveries(previous, record, delivering && ((status) => delivering.handlersOf(status)))
    );
  }

  /** Listens to the changes of other processes, if anybody wants to know. */
  private async listen(): Promise<void> {
    const { connected, changes } = this;
    const queue = connected?.queue;
    if (queue === undefined || !changes.observed) return;
    this.listener ??= VideoTaskListener.start(queue, this.settings, this.id, {
      changed: (id) => void changes.heard(queue, id).catch(this.report),
      interrupted: () => void this.catchUp(queue).catch(this.report),
      error: this.report,
    });
    await this.listener;
  }

  private async catchUp(queue: VideoTaskQueue): Promise<void> {
    const gone = await this.changes.missed(queue);
    if (gone.size > 0) this.tellLoss("came back without some of what it had acknowledged", gone);
  }

  /** BullMQ goes on by itself after an error; the same one over and over is said once. */
  private readonly report = (error: Error): void => {
    const message = error.message || String(error);
    // Closing interrupts connections that wait.
    if (message === this.lastError || this.connected === undefined) return;
    this.lastError = message;
    this.logger.warn(`BullMQ: ${message}`);
  };
}
