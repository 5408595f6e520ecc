import { randomUUID } from "node:crypto";
import {
  GatewayError,
  type ImageToVideoRequest,
  InvalidRequestError,
  type ModelGateway,
  type OmniVideoRequest,
  type PollOutage,
  type VideoCreateRequest,
  type VideoSubmission,
  type VideoTask,
} from "@model-gateway/core";
import {
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from "@nestjs/common";
import type { Observable } from "rxjs";
import type { CallbackURLs } from "../callbacks/callback-urls.js";
import { letResponsesEnd } from "../streams/let-responses-end.js";
import { abridge } from "./abridge.js";
import { checkSubmissionLabel, type SubmissionLabel } from "./check-submission-label.js";
import { earliest } from "./earliest.js";
import { fromStore } from "./from-store.js";
import { requireVideo } from "./require-video.js";
import { StallLog } from "./stall-log.js";
import type { TenantGateways } from "./tenant-gateways.js";
import { type VideoCompletion, VideoCompletions } from "./video-completions.js";
import { VideoConflictError } from "./video-conflict-error.js";
import { type DeliverySettings, VideoDeliverer } from "./video-deliverer.js";
import { type QueueSettings, VideoDispatcher } from "./video-dispatcher.js";
import type { VideoHandler } from "./video-handler.js";
import { VideoKeyTakenError } from "./video-key-taken-error.js";
import { VideoNotKeptError } from "./video-not-kept-error.js";
import { videoProblem } from "./video-problem.js";
import { type VideoFinding, VideoReconciler } from "./video-reconciler.js";
import { type Sending, VideoSubmitter } from "./video-submitter.js";
import { type PollSettings, VideoTaskPoller } from "./video-task-poller.js";
import {
  isFinished,
  isOver,
  isSettled,
  isWaiting,
  type VideoMetadata,
  type VideoTaskIntent,
  type VideoTaskRecord,
} from "./video-task-record.js";
import type { VideoTaskQuery, VideoTaskStore } from "./video-task-store.js";
import { VideoWatches } from "./video-watches.js";
import { VideosClosedError } from "./videos-closed-error.js";

/** Options of `videos.submit`. */
export interface SubmitOptions<Family extends VideoSubmission["family"] = "content"> {
  /**
   * Your own name for the submission, such as an order number: a second submission with it is refused, so it
   * makes `submit` safe to repeat. Default: a random UUID.
   */
  key?: string;
  /** Which endpoint the body is for. Default `content`. */
  family?: Family;
  /** Whose submission it is, in your own words: in its record, for `list({ tenant })`, and in handlers. 1 to 256 characters. */
  tenant?: string;
  /**
   * What you want to find in the record and in handlers, such as an order or its owner: plain JSON, at most 4096 bytes as
   * text. Nothing of it goes to the gateway.
   */
  metadata?: VideoMetadata;
  /**
   * Where submissions wait for their turn (`videos.maxOpen`): of those of one tenant the one with the highest goes first, and of
   * equals the one that came first. A whole number, default 0.
   */
  priority?: number;
}

/** What a service is made of, beside its store. */
export interface VideosParts {
  gateways: TenantGateways;
  polling: PollSettings;
  callbacks: CallbackURLs | undefined;
  /** Undefined where nothing waits. */
  queue: QueueSettings | undefined;
}

/** The handlers of an instance, and how they are called. */
export interface VideoHandlers {
  settings: DeliverySettings;
  /** Looks for those that the application declares. @throws ConfigurationError when they cannot be told apart */
  findHandlers(): VideoHandler[];
}

/**
 * Video tasks that are paid for once and polled to their end: `submit` writes down what it is about to buy,
 * buys it, and writes down the task id; from then on the task is polled, whether anybody watches or not.
 */
export class VideosService
  implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown
{
  /**
   * Submissions that nobody knows the outcome of: those that are `unknown` now, and each that becomes so.
   * Nothing sends them again; look into the usage records of the key, and `reconcile` them. Completes when the
   * application closes.
   */
  readonly orphans$: Observable<VideoTaskRecord>;

  /**
   * Tasks that cannot be read: those that cannot be now, each that comes to be so, and each whose problem becomes one of
   * another kind. They go on, and are polled on. Completes when the application closes.
   */
  readonly stalled$: Observable<VideoTaskRecord>;

  /**
   * Submissions that came to their end or are of unknown outcome, each until it is acknowledged: again after `nack`, and after
   * a crash. As a handler of `@OnVideo` for every status; subscribe in a constructor, so that nothing ends before. What comes
   * to its end while nobody in this process is subscribed is not told later. Completes when the application closes.
   */
  readonly completed$: Observable<VideoCompletion>;

  private readonly logger = new Logger(VideosService.name);
  private readonly deliverer: VideoDeliverer;
  private readonly completions: VideoCompletions;
  private readonly reconciler: VideoReconciler;
  private readonly watches: VideoWatches;
  private readonly stallLog: StallLog;
  private readonly gateway: ModelGateway;
  private readonly polling: PollSettings;
  private readonly gateways: TenantGateways;
  private readonly submitter: VideoSubmitter;
  private readonly dispatcher: VideoDispatcher | undefined;
  /** What must be written down before the store is closed. */
  private readonly unfinished = new Set<Promise<unknown>>();
  private opening: Promise<void> | undefined;
  private closed = false;

  constructor(
    private readonly store: VideoTaskStore,
    { gateways, polling, callbacks, queue }: VideosParts,
    private readonly handlers: VideoHandlers,
  ) {
    this.gateways = gateways;
    this.gateway = gateways.own;
    this.polling = polling;
    this.submitter = new VideoSubmitter(gateways, callbacks);
    this.dispatcher =
      queue &&
      new VideoDispatcher(queue, {
        ...{ store, gateways, submitter: this.submitter },
        shown: (task) => this.shown(task),
        finish: (work) => this.finish(work),
      });
    this.deliverer = new VideoDeliverer(store, handlers.settings);
    this.completions = new VideoCompletions(this.deliverer);
    this.completed$ = this.completions.completed$;
    this.reconciler = new VideoReconciler(gateways, store, polling.keeper);
    this.watches = new VideoWatches(store, this);
    this.orphans$ = this.watches.matching({ status: "unknown" });
    this.stalled$ = this.watches.matching({ stalled: true });
    this.stallLog = new StallLog(store);
  }

  /**
   * Submits a video: `POST /videos`, or with `family` one of the two wrapped families, where the
   * key is also sent as `external_task_id`. Resolves when the task id is written down; rejects with core's error
   * otherwise. After an error with `maybeProcessed: true` the submission is kept as `unknown` and announced by
   * `orphans$`; after any other of core the key is free again. A body that cannot be is refused before anything is
   * written down.
   *
   * With `videos.maxOpen` or `videos.perTenant` it resolves as soon as the submission is written down, and sends it when it has
   * its turn: `watch$` and handlers tell what comes of it.
   *
   * @throws VideoKeyTakenError when there is a submission with this key; nothing was sent
   * @throws VideoTaskStoreError when it cannot be written down; nothing was sent
   * @throws VideosClosedError when the application is closing; nothing was sent
   * @throws VideoNotKeptError when it was paid for, and then its handle could not be written down
   */
  submit(body: VideoCreateRequest, options?: SubmitOptions): Promise<{ key: string }>;
  submit(
    body: ImageToVideoRequest,
    options: SubmitOptions<"image2video"> & { family: "image2video" },
  ): Promise<{ key: string }>;
  submit(
    body: OmniVideoRequest,
    options: SubmitOptions<"omni-video"> & { family: "omni-video" },
  ): Promise<{ key: string }>;
  submit(
    body: VideoSubmission["body"],
    options: SubmitOptions<VideoSubmission["family"]> = {},
  ): Promise<{ key: string }> {
    const { key = randomUUID(), family = "content", priority = 0, ...label } = options;
    // The overloads pair them.
    const submission = { family, body } as VideoSubmission;
    return this.finish(this.submitOnce(submission, key, { ...label, priority }));
  }

  /**
   * How a submission stands: its record now, and again at each change, `stalled` while it cannot be read. Completes
   * when nothing more is to come: the task is over, its status is `rejected` or `unknown`, or it is polled no more. Polls
   * nothing itself: any number of subscribers costs the polls of one, and unsubscribing ends that subscription only.
   * Completes when the application closes.
   *
   * Errors with `VideoNotFoundError` when there is no submission with this key, with `VideoLostError` when the store has
   * lost it under way, and with `VideoTaskStoreError` when it cannot be read at the beginning.
   */
  watch$(key: string): Observable<VideoTaskRecord> {
    return this.watches.of(key);
  }

  /** The submission with this key. */
  async get(key: string): Promise<VideoTaskRecord | undefined> {
    return fromStore(this.open().then(() => this.store.get(key)));
  }

  /**
   * All submissions, or those that all given conditions hold for, in the order of submission. With `limit` the latest so many,
   * and with `before`, the key of the first of a page, the page before that one.
   *
   * @throws VideoNotFoundError when there is no submission with the key `before`
   * @throws InvalidRequestError when `limit` is no whole number above 0
   */
  async list(query: VideoTaskQuery = {}): Promise<VideoTaskRecord[]> {
    const { before, limit } = query;
    if (limit !== undefined && !(Number.isInteger(limit) && limit > 0)) {
      const message = "must be a whole number above 0";
      throw new InvalidRequestError([{ field: "limit", message, value: limit }]);
    }
    if (before !== undefined) await this.require(before);
    return fromStore(this.open().then(() => this.store.list(query)));
  }

  /**
   * Takes back a submission that waits for its turn: it is `cancelled`, and nothing was paid.
   *
   * @throws VideoNotFoundError when there is no submission with this key
   * @throws VideoConflictError when it does not wait: it may have been paid for
   */
  async cancel(key: string): Promise<void> {
    await this.require(key);
    if (await fromStore(this.store.cancel(key))) return;
    const { status } = await this.require(key);
    throw new VideoConflictError(
      key,
      `Video ${key} is ${status}: only one that waits for its turn can be cancelled.`,
    );
  }

  /**
   * Polls a task no more, also after a restart, and completes its watches. The task itself goes on and is billed:
   * the API cannot cancel one. `reconcile(key)` takes it up again.
   *
   * @throws VideoNotFoundError when there is no submission with this key
   * @throws VideoConflictError when the gateway has not taken it yet, so that there is nothing to poll
   */
  async cancelWatch(key: string): Promise<void> {
    const record = await this.require(key);
    if (isOver(record)) return;
    if (isWaiting(record))
      throw new VideoConflictError(key, `Video ${key} waits for its turn: cancel() takes it back.`);
    if (record.handle === undefined)
      throw new VideoConflictError(key, `Video ${key} is ${record.status}: it is not polled.`);
    await fromStore(this.store.cancelWatch(key));
  }

  /**
   * Brings a submission into line with the gateway, now. Without a finding the task is asked for once, and polled
   * on if it is not over: that also takes up one whose watch was cancelled or came to its end. With one, a
   * submission of unknown outcome gets its task, or its key is free again.
   *
   * An orphan of the families `image2video` and `omni-video` is looked for by our own id of it, which costs nothing.
   *
   * @throws VideoNotFoundError when there is no submission with this key
   * @throws VideoConflictError when the finding does not fit the submission, or nothing was found; nothing has changed
   * @throws core's errors when the gateway does not tell; nothing has changed
   */
  async reconcile(key: string, finding?: VideoFinding): Promise<VideoTaskRecord> {
    const record = await this.require(key);
    if (isWaiting(record)) {
      throw new VideoConflictError(
        key,
        `Video ${key} waits for its turn: nothing was sent. Cancel it if it is not wanted.`,
      );
    }
    if (this.submitter.isPaying(key))
      throw new VideoConflictError(key, `Video ${key} is being submitted right now.`);
    if (finding === undefined) await this.finish(this.reconciler.askAgain(record));
    else if ("taskId" in finding) await this.finish(this.reconciler.adopt(record, finding.taskId));
    else await this.finish(this.reconciler.free(record));
    return this.require(key);
  }

  /**
   * Calls handlers again that failed at every attempt for this submission: from their first attempt, with the same id.
   * `list({ delivery: "dead" })` gives the submissions that have such.
   *
   * @throws VideoNotFoundError when there is no submission with this key
   * @throws VideoConflictError when no handler has failed for good
   */
  async redeliver(key: string): Promise<void> {
    const { deliveries = [] } = await this.require(key);
    if (deliveries.every(({ state }) => state !== "dead"))
      throw new VideoConflictError(key, `Video ${key} has no handler that was given up.`);
    await fromStore(this.store.redeliver(key));
  }

  /**
   * Takes what the gateway sent to the address of a submission: asks the gateway how the task stands, soon, and
   * finds the task of a submission that lost its id. Nothing in the body is believed. The module's own controller
   * calls this; call it yourself only behind a check of your own.
   *
   * @returns false when there is no submission with this key
   */
  async handleCallback(key: string, body: unknown): Promise<boolean> {
    const record = await this.get(key);
    if (record === undefined) return false;
    if (this.closed || isFinished(record) || isOver(record) || isWaiting(record)) return true;
    if (record.handle !== undefined && !isSettled(record)) await fromStore(this.store.pollSoon(key));
    else if (!this.submitter.isPaying(key)) void this.finish(this.reconciler.heal(record, body));
    return true;
  }

  /** What stands in the way of the video tasks right now, a sentence each, for health checks. */
  async troubles(): Promise<string[]> {
    const records = await this.list({ finished: false });
    const { perSecond, maxPerSecond, pausedForMs, outage } = this.gateway.videos.pollPace;
    const slowed = perSecond < maxPerSecond || pausedForMs > 0;
    return [
      ...troublesOf(records),
      ...troublesOfLine(records, this.dispatcher !== undefined),
      ...this.troublesOfDeliveries(records),
      ...(outage === undefined ? [] : [sentenceOf(outage)]),
      ...(slowed ? ["The gateway asked to poll video tasks less often."] : []),
      ...(await this.store.troubles()),
    ];
  }

  async onModuleInit(): Promise<void> {
    // Also where somebody had it opened before there were all providers.
    this.addHandlers();
    await this.open();
  }

  /** Not before: handlers may need what other providers set up in their own `onModuleInit`. */
  onApplicationBootstrap(): void {
    this.deliverer.start();
    this.dispatcher?.start();
  }

  /**
   * Completes all watches and stops polling, so that nothing holds up the server's close. Handlers under way are waited for
   * before, for a bounded time.
   */
  async onModuleDestroy(): Promise<void> {
    this.closed = true;
    this.watches.close();
    this.stallLog.close();
    await this.dispatcher?.close();
    await this.deliverer.close();
    this.completions.close();
    // Why it could not be opened, the start has said.
    await this.opening?.catch(() => undefined);
    await this.store.stop();
    await letResponsesEnd();
  }

  /** What is being paid for right now is still written down: core's time-outs bound the wait. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.allSettled(this.unfinished);
    await this.store.close();
  }

  private async submitOnce(
    submission: VideoSubmission,
    key: string,
    { priority, ...given }: SubmissionLabel & { priority: number },
  ): Promise<{ key: string }> {
    if (typeof key !== "string" || key === "") {
      throw new InvalidRequestError([{ field: "key", message: "must be a non-empty string", value: key }]);
    }
    const label = checkSubmissionLabel(given);
    if (!Number.isSafeInteger(priority)) {
      throw new InvalidRequestError([
        { field: "priority", message: "must be a whole number", value: priority },
      ]);
    }
    if (this.closed) throw new VideosClosedError();
    // Before the intent is written: what cannot be sent is no submission.
    this.submitter.check(key, submission);
    const begun = { key, submission: abridge(submission), ...label };
    if (this.dispatcher !== undefined) {
      const body = JSON.stringify(submission.body);
      await this.begin({ ...begun, waiting: { since: Date.now(), priority, body, attempts: 0 } });
      return { key };
    }
    await this.begin(begun);
    await this.submitter.whilePaying(key, async () =>
      this.record(key, await this.pay({ key, submission, ...label })),
    );
    return { key };
  }

  private async begin(intent: VideoTaskIntent): Promise<void> {
    const isBegun = await fromStore(this.open().then(() => this.store.begin(intent)));
    if (!isBegun) throw new VideoKeyTakenError(intent.key);
  }

  private async pay(sending: Sending): Promise<VideoTask> {
    const { key } = sending;
    try {
      return await this.submitter.send(sending);
    } catch (error) {
      await this.recordFailure(key, error);
      throw error;
    }
  }

  private async recordFailure(key: string, error: unknown): Promise<void> {
    const surelyNotPaid = GatewayError.isInstance(error) && !error.maybeProcessed;
    try {
      if (surelyNotPaid) await this.store.reject(key, videoProblem(error));
      else await this.store.lose(key, videoProblem(error));
    } catch (storeError) {
      // The caller needs to hear of the submission; the record stays as it is, and its key taken.
      this.logger.error(`The store did not take how video ${key} failed: ${String(storeError)}`);
    }
  }

  private async record(key: string, task: VideoTask): Promise<void> {
    try {
      await this.store.accept(key, this.shown(task));
    } catch (error) {
      // The last place that knows the task.
      const notKept = new VideoNotKeptError(key, task.handle, error);
      this.logger.error(notKept.message);
      throw notKept;
    }
  }

  /** One whose files are to be kept succeeds when they are. */
  private shown(task: VideoTask): VideoTask {
    return this.polling.keeper?.withhold(task) ?? task;
  }

  /** Keeps the store open until something is written down. */
  private finish<T>(work: Promise<T>): Promise<T> {
    const finished = work.finally(() => this.unfinished.delete(finished));
    this.unfinished.add(finished);
    return finished;
  }

  private open(): Promise<void> {
    if (this.opening === undefined) {
      this.addHandlers();
      const poller = new VideoTaskPoller(this.gateways, this.store, this.polling, this.deliverer);
      this.opening = this.store.open(poller);
    }
    return this.opening;
  }

  private addHandlers(): void {
    for (const handler of this.handlers.findHandlers()) this.deliverer.add(handler);
  }

  private troublesOfDeliveries(records: VideoTaskRecord[]): string[] {
    const deliveries = records.flatMap((record) => record.deliveries ?? []);
    const dead = deliveries.filter(({ state }) => state === "dead").length;
    const waiting = deliveries.filter(
      ({ state, handler }) => state === "due" && !this.deliverer.knows(handler),
    );
    const troubles: string[] = [];
    if (dead > 0)
      troubles.push(
        `${dead} calls of video handlers were given up after their last attempt: redeliver them.`,
      );
    if (waiting.length > 0)
      troubles.push(`${waiting.length} calls wait for video handlers that this process does not have.`);
    return troubles;
  }

  private async require(key: string): Promise<VideoTaskRecord> {
    return requireVideo(key, await this.get(key));
  }
}

/** Addresses that die within this time are told of. */
const DYING_MS = 15 * 60_000;

function isNear(expiresAt: number): boolean {
  return expiresAt - Date.now() < DYING_MS;
}

/** What an operator should know of the records that are not finished. */
function troublesOf(records: VideoTaskRecord[]): string[] {
  const orphans = records.filter(({ status }) => status === "unknown");
  const left = records.filter(({ watchCancelledAt }) => watchCancelledAt !== undefined);
  const stalled = records.flatMap((record) => record.stalled ?? []);
  const unkept = records.flatMap(({ keeping }) => (keeping?.problem === undefined ? [] : keeping));
  const dying = records.flatMap(({ keeping }) => keeping?.expiresAt ?? []).filter(isNear);
  const troubles: string[] = [];
  if (orphans.length > 0)
    troubles.push(`${orphans.length} video submissions are of unknown outcome: reconcile them.`);
  if (stalled.length > 0) {
    const kinds = [...new Set(stalled.map(({ problem }) => problem.kind))].join(", ");
    const since = new Date(earliest(stalled.map((stall) => stall.since))).toISOString();
    troubles.push(
      `${stalled.length} video tasks cannot be read, the first since ${since} (${kinds}). They are polled on.`,
    );
  }
  if (unkept.length > 0) {
    const since = earliest(unkept.map((keeping) => keeping.since));
    const reasons = new Set(unkept.flatMap(({ problem }) => problem?.message ?? []));
    const [reason, ...others] = reasons;
    const more = others.length > 0 ? ` And ${others.length} other reasons.` : "";
    troubles.push(
      `The files of ${unkept.length} videos that are done cannot be kept, the first since ` +
        `${new Date(since).toISOString()}. It is tried again until their addresses are dead. The reason: ${reason}${more}`,
    );
  }
  if (dying.length > 0) {
    const first = new Date(earliest(dying)).toISOString();
    troubles.push(
      `The addresses of ${dying.length} videos that are not kept yet die soon, the first at ${first}.`,
    );
  }
  if (left.length > 0)
    troubles.push(
      `${left.length} video tasks were not over within videos.maxWatchMs and are polled no more: reconcile them.`,
    );
  return troubles;
}

function sentenceOf({ since, probeMs }: PollOutage): string {
  return (
    `No poll of a video task was answered since ${new Date(since).toISOString()}: the gateway is away or refuses the ` +
    `key. One poll in ${probeMs / 1_000} seconds finds out when that is over.`
  );
}

/** That submissions wait is what a queue is for; metrics count them. */
function troublesOfLine(records: VideoTaskRecord[], isServed: boolean): string[] {
  const waiting = records.flatMap((record) => record.waiting ?? []);
  if (waiting.length === 0) return [];
  const since = new Date(earliest(waiting.map((wait) => wait.since))).toISOString();
  const waits = `${waiting.length} video submissions wait for their turn, the first since ${since}`;
  if (!isServed)
    return [
      `${waits}. Nothing sends them from here: this process has neither videos.maxOpen nor videos.perTenant.`,
    ];
  const turnedAway = waiting.flatMap(({ problem }) => problem?.kind ?? []);
  if (turnedAway.length === 0) return [];
  const kinds = [...new Set(turnedAway)].join(", ");
  return [
    `${waits}; ${turnedAway.length} were turned away (${kinds}). Nothing of them is paid; they are sent again, later each time.`,
  ];
}
