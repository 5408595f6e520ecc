import { randomUUID } from "node:crypto";
import {
  GatewayError,
  type ImageToVideoRequest,
  InvalidRequestError,
  type ModelGateway,
  type OmniVideoRequest,
  type VideoCreateRequest,
  type VideoSubmission,
  type VideoTask,
} from "@model-gateway/core";
import {
  ConflictException,
  Logger,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
  ServiceUnavailableException,
} from "@nestjs/common";
import type { Observable } from "rxjs";
import type { CallbackURLs } from "../callbacks/callback-urls.js";
import { letResponsesEnd } from "../streams/let-responses-end.js";
import { abridge } from "./abridge.js";
import { createVideoTask, type SubmissionExtras } from "./create-video-task.js";
import { requireVideo } from "./require-video.js";
import { VideoKeyTakenError } from "./video-key-taken-error.js";
import { videoProblem } from "./video-problem.js";
import { type VideoFinding, VideoReconciler } from "./video-reconciler.js";
import { type PollSettings, VideoTaskPoller } from "./video-task-poller.js";
import { isOver, type VideoTaskRecord, type VideoTaskRecordStatus } from "./video-task-record.js";
import type { VideoTaskStore } from "./video-task-store.js";
import { VideoWatches } from "./video-watches.js";

/** Options of `videos.submit`. */
export interface SubmitOptions<Family extends VideoSubmission["family"] = "content"> {
  /**
   * Your own name for the submission, such as an order number: a second submission with it is refused, so it
   * makes `submit` safe to repeat. Default: a random UUID.
   */
  key?: string;
  /** Which endpoint the body is for. Default `content`. */
  family?: Family;
}

/**
 * Video tasks that are paid for once and polled to their end: `submit` writes down what it is about to buy,
 * buys it, and writes down the task id; from then on the task is polled, whether anybody watches or not.
 */
export class VideosService implements OnModuleInit, OnModuleDestroy, OnApplicationShutdown {
  /**
   * Submissions that nobody knows the outcome of: those that are `unknown` now, and each that becomes so.
   * Nothing sends them again; look into the usage records of the key, and `reconcile` them. Completes when the
   * application closes.
   */
  readonly orphans$: Observable<VideoTaskRecord>;

  private readonly logger = new Logger(VideosService.name);
  private readonly reconciler: VideoReconciler;
  private readonly watches: VideoWatches;
  /** Keys that are being paid for by this process. */
  private readonly paying = new Set<string>();
  /** What must be written down before the store is closed. */
  private readonly unfinished = new Set<Promise<unknown>>();
  private opening: Promise<void> | undefined;
  private closed = false;

  constructor(
    private readonly gateway: ModelGateway,
    private readonly store: VideoTaskStore,
    private readonly polling: PollSettings,
    private readonly callbacks: CallbackURLs | undefined,
  ) {
    this.reconciler = new VideoReconciler(gateway, store);
    this.watches = new VideoWatches(store, this);
    this.orphans$ = this.watches.withStatus("unknown");
  }

  /**
   * Submits a video: `POST /videos`, or with `family` one of the two wrapped families, where the
   * key is also sent as `external_task_id`. Resolves when the task id is written down; rejects with core's error
   * otherwise. After an error with `maybeProcessed: true` the submission is kept as `unknown` and announced by
   * `orphans$`; after any other the key is free again.
   *
   * @throws VideoKeyTakenError when there is a submission with this key; nothing was sent
   * @throws ServiceUnavailableException when the application is closing; nothing was sent
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
    { key = randomUUID(), family = "content" }: SubmitOptions<VideoSubmission["family"]> = {},
  ): Promise<{ key: string }> {
    // The overloads pair them.
    const submission = { family, body } as VideoSubmission;
    return this.finish(this.submitOnce(submission, key));
  }

  /**
   * How a submission stands: its record now, and again at each change. Completes when nothing more is to come:
   * the task is over, its status is `rejected` or `unknown`, or its watch was cancelled. Polls nothing itself: any
   * number of subscribers costs the polls of one, and unsubscribing ends that subscription only. Completes when
   * the application closes.
   *
   * Errors with Nest's `NotFoundException` when there is no submission with this key.
   */
  watch$(key: string): Observable<VideoTaskRecord> {
    return this.watches.of(key);
  }

  /** The submission with this key. */
  async get(key: string): Promise<VideoTaskRecord | undefined> {
    await this.open();
    return this.store.get(key);
  }

  /** All submissions, or those with a status, in the order of submission. */
  async list(filter: { status?: VideoTaskRecordStatus } = {}): Promise<VideoTaskRecord[]> {
    await this.open();
    return this.store.list(filter);
  }

  /**
   * Polls a task no more, also after a restart, and completes its watches. The task itself goes on and is billed:
   * the API cannot cancel one. `reconcile(key)` takes it up again.
   *
   * @throws NotFoundException when there is no submission with this key
   * @throws ConflictException when the gateway has not taken it yet, so that there is nothing to poll
   */
  async cancelWatch(key: string): Promise<void> {
    const record = await this.require(key);
    if (isOver(record)) return;
    if (record.handle === undefined)
      throw new ConflictException(`Video ${key} is ${record.status}: it is not polled.`);
    await this.store.cancelWatch(key);
  }

  /**
   * Brings a submission into line with the gateway, now. Without a finding the task is asked for once, and polled
   * on if it is not over: that also takes up one that was given up or whose watch was cancelled. With one, a
   * submission of unknown outcome gets its task, or its key is free again.
   *
   * @throws NotFoundException when there is no submission with this key
   * @throws ConflictException when the finding does not fit the submission; nothing has changed
   * @throws core's errors when the gateway does not tell; nothing has changed
   */
  async reconcile(key: string, finding?: VideoFinding): Promise<VideoTaskRecord> {
    const record = await this.require(key);
    if (this.paying.has(key)) throw new ConflictException(`Video ${key} is being submitted right now.`);
    if (finding === undefined) await this.finish(this.reconciler.askAgain(record));
    else if ("taskId" in finding) await this.finish(this.reconciler.adopt(record, finding.taskId));
    else await this.finish(this.reconciler.free(record));
    return this.require(key);
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
    if (this.closed || isOver(record) || record.watchCancelledAt !== undefined) return true;
    if (record.handle !== undefined && record.status !== "unknown") await this.store.pollSoon(key);
    else if (!this.paying.has(key)) void this.finish(this.reconciler.heal(record, body));
    return true;
  }

  /** What stands in the way of the video tasks right now, a sentence each, for health checks. */
  async troubles(): Promise<string[]> {
    const troubles: string[] = [];
    const { length: orphans } = await this.list({ status: "unknown" });
    if (orphans > 0) troubles.push(`${orphans} video submissions are of unknown outcome: reconcile them.`);
    const { perSecond, maxPerSecond, pausedForMs } = this.gateway.videos.pollPace;
    if (perSecond < maxPerSecond || pausedForMs > 0)
      troubles.push("The gateway asked to poll video tasks less often.");
    return [...troubles, ...(await this.store.troubles())];
  }

  async onModuleInit(): Promise<void> {
    await this.open();
  }

  /** Completes all watches and stops polling, so that nothing holds up the server's close. */
  async onModuleDestroy(): Promise<void> {
    this.closed = true;
    this.watches.close();
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

  private async submitOnce(submission: VideoSubmission, key: string): Promise<{ key: string }> {
    if (typeof key !== "string" || key === "") {
      throw new InvalidRequestError([{ field: "key", message: "must be a non-empty string", value: key }]);
    }
    if (this.closed) throw new ServiceUnavailableException("The application is closing.");
    await this.open();
    // Before the intent is written: a key that no address can hold is no submission of unknown outcome.
    const callbackURL = this.callbacks?.sign(key, taskExpiryOf(submission));
    if (!(await this.store.begin({ key, submission: abridge(submission) })))
      throw new VideoKeyTakenError(key);
    this.paying.add(key);
    try {
      await this.record(key, await this.pay(submission, { key, callbackURL }));
    } finally {
      this.paying.delete(key);
    }
    return { key };
  }

  private async pay(submission: VideoSubmission, extras: SubmissionExtras): Promise<VideoTask> {
    try {
      return await createVideoTask(this.gateway, submission, extras);
    } catch (error) {
      await this.recordFailure(extras.key, error);
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
      await this.store.accept(key, task);
    } catch (error) {
      // The last place that knows the task.
      const handle = JSON.stringify(task.handle);
      this.logger.error(
        `Video task ${key} was paid for, but the store did not take its handle ${handle}. Keep the handle: once the ` +
          "store works again, reconcile the key with its task id.",
      );
      throw error;
    }
  }

  /** Keeps the store open until something is written down. */
  private finish<T>(work: Promise<T>): Promise<T> {
    const finished = work.finally(() => this.unfinished.delete(finished));
    this.unfinished.add(finished);
    return finished;
  }

  private open(): Promise<void> {
    this.opening ??= this.store.open(new VideoTaskPoller(this.gateway, this.store, this.polling));
    return this.opening;
  }

  private async require(key: string): Promise<VideoTaskRecord> {
    return requireVideo(key, await this.get(key));
  }
}

function taskExpiryOf({ family, body }: VideoSubmission): number | undefined {
  return family === "content" ? body?.execution_expires_after : undefined;
}
