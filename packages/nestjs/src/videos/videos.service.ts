import { randomUUID } from "node:crypto";
import {
  GatewayError,
  InvalidRequestError,
  type ModelGateway,
  type VideoCreateRequest,
  type VideoTask,
} from "@model-gateway/core";
import {
  Logger,
  NotFoundException,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
  ServiceUnavailableException,
} from "@nestjs/common";
import { defer, EMPTY, filter, merge, mergeMap, Observable, Subject, takeUntil, takeWhile } from "rxjs";
import { abridge } from "./abridge.js";
import { VideoKeyTakenError } from "./video-key-taken-error.js";
import {
  isSettled,
  type VideoTaskProblem,
  type VideoTaskRecord,
  type VideoTaskRecordStatus,
} from "./video-task-record.js";
import type { PollVideoTask, VideoTaskStore } from "./video-task-store.js";

/** How an instance polls. */
export interface PollSettings {
  intervalMs: number;
  maxWatchMs: number | undefined;
}

/** Options of `videos.submit`. */
export interface SubmitOptions {
  /**
   * Your own name for the submission, such as an order number: a second submission with it is refused, so it
   * makes `submit` safe to repeat. Default: a random UUID.
   */
  key?: string;
}

/**
 * Video tasks that are paid for once and polled to their end: `submit` writes down what it is about to buy,
 * buys it, and writes down the task id; from then on the task is polled, whether anybody watches or not.
 */
export class VideosService implements OnModuleInit, OnModuleDestroy, OnApplicationShutdown {
  /**
   * Submissions that nobody knows the outcome of: those that are `unknown` now, and each that becomes so.
   * Nothing sends them again; look into the usage records of the key. Completes when the application closes.
   */
  readonly orphans$: Observable<VideoTaskRecord>;

  private readonly logger = new Logger(VideosService.name);
  private readonly closing = new Subject<void>();
  /** Subscribers by key: a change reaches those of its task without asking all the others. */
  private readonly channels = new Map<string, Subject<VideoTaskRecord>>();
  private readonly submissions = new Set<Promise<unknown>>();
  private opening: Promise<void> | undefined;
  private closed = false;

  constructor(
    private readonly gateway: ModelGateway,
    private readonly store: VideoTaskStore,
    private readonly polling: PollSettings,
  ) {
    store.changes$
      .pipe(takeUntil(this.closing))
      .subscribe((record) => this.channels.get(record.key)?.next(record));
    this.orphans$ = this.whileOpen(() =>
      merge(
        store.changes$.pipe(filter(({ status }) => status === "unknown")),
        defer(() => this.list({ status: "unknown" })).pipe(mergeMap((records) => records)),
      ).pipe(onlyNews()),
    );
  }

  /**
   * Submits a video of the first family (`POST /videos`). Resolves when the task id is written down; rejects
   * with core's error otherwise. After an error with `maybeProcessed: true` the submission is kept as `unknown`
   * and announced by `orphans$`; after any other the key is free again.
   *
   * @throws VideoKeyTakenError when there is a submission with this key; nothing was sent
   * @throws ServiceUnavailableException when the application is closing; nothing was sent
   */
  submit(body: VideoCreateRequest, { key = randomUUID() }: SubmitOptions = {}): Promise<{ key: string }> {
    const submission = this.submitOnce(body, key).finally(() => this.submissions.delete(submission));
    this.submissions.add(submission);
    return submission;
  }

  /**
   * How a submission stands: its record now, and again at each change. Completes when nothing more is to come:
   * the task is over, or its status is `rejected` or `unknown`. Polls nothing itself: any number of subscribers
   * costs the polls of one, and unsubscribing ends that subscription only. Completes when the application closes.
   *
   * Errors with Nest's `NotFoundException` when there is no submission with this key.
   */
  watch$(key: string): Observable<VideoTaskRecord> {
    return this.whileOpen(() =>
      merge(
        this.changesOf(key),
        defer(() => this.require(key)),
      ).pipe(
        onlyNews(),
        takeWhile((record) => !isSettled(record), true),
      ),
    );
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

  async onModuleInit(): Promise<void> {
    await this.open();
  }

  /** Completes all watches and stops polling, so that nothing holds up the server's close. */
  async onModuleDestroy(): Promise<void> {
    this.closed = true;
    this.closing.next();
    await this.opening;
    await this.store.stop();
  }

  /** What is being paid for right now is still written down: core's time-outs bound the wait. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.allSettled(this.submissions);
    await this.store.close();
  }

  private async submitOnce(body: VideoCreateRequest, key: string): Promise<{ key: string }> {
    if (typeof key !== "string" || key === "") {
      throw new InvalidRequestError([{ field: "key", message: "must be a non-empty string", value: key }]);
    }
    if (this.closed) throw new ServiceUnavailableException("The application is closing.");
    await this.open();
    const intent = { key, submission: { family: "content", body: abridge(body) } } as const;
    if (!(await this.store.begin(intent))) throw new VideoKeyTakenError(key);
    const task = await this.pay(body, key);
    await this.record(key, task);
    return { key };
  }

  private async pay(body: VideoCreateRequest, key: string): Promise<VideoTask> {
    try {
      return await this.gateway.videos.create(body);
    } catch (error) {
      await this.recordFailure(key, error);
      throw error;
    }
  }

  private async recordFailure(key: string, error: unknown): Promise<void> {
    const surelyNotPaid = GatewayError.isInstance(error) && !error.maybeProcessed;
    try {
      if (surelyNotPaid) await this.store.reject(key, problemOf(error));
      else await this.store.lose(key, problemOf(error));
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
      this.logger.error(`Video task ${key} was paid for, but the store did not take its handle ${handle}.`);
      throw error;
    }
  }

  private readonly poll: PollVideoTask = async ({ key, handle }, signal) => {
    if (handle === undefined) return;
    const { intervalMs, maxWatchMs } = this.polling;
    const startedAt = performance.now();
    while (!signal.aborted) {
      const timeoutMs = maxWatchMs && Math.max(1, startedAt + maxWatchMs - performance.now());
      const watch = this.gateway.videos.watch(handle, { intervalMs, timeoutMs, signal });
      try {
        for await (const task of watch) await this.store.update(key, task);
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (!GatewayError.isInstance(error)) {
          this.logger.error(`Video task ${key} is polled no more until the next start: ${String(error)}`);
          throw error;
        }
        // A watch gives up after failed polls in a row, minutes apart by then. The task was paid for: go on.
        if (error.retryable || error.kind === "invalid_response") continue;
        await this.store.lose(key, problemOf(error));
        return;
      }
    }
  };

  private open(): Promise<void> {
    this.opening ??= this.store.open(this.poll);
    return this.opening;
  }

  private async require(key: string): Promise<VideoTaskRecord> {
    const record = await this.get(key);
    if (record === undefined) throw new NotFoundException(`There is no video with key ${key}.`);
    return record;
  }

  private changesOf(key: string): Observable<VideoTaskRecord> {
    return new Observable((subscriber) => {
      const channel = this.channels.get(key) ?? new Subject<VideoTaskRecord>();
      this.channels.set(key, channel);
      const subscription = channel.subscribe(subscriber);
      return () => {
        subscription.unsubscribe();
        if (!channel.observed && this.channels.get(key) === channel) this.channels.delete(key);
      };
    });
  }

  /** Builds the Observable per subscription, and completes it with the application. */
  private whileOpen<T>(build: () => Observable<T>): Observable<T> {
    return defer(() => (this.closed ? EMPTY : build())).pipe(takeUntil(this.closing));
  }
}

/** Drops records that are not newer than what was seen of their key: a read can race with a change. */
function onlyNews() {
  const seen = new Map<string, number>();
  return filter(({ key, version }: VideoTaskRecord) => {
    if (version <= (seen.get(key) ?? 0)) return false;
    seen.set(key, version);
    return true;
  });
}

function problemOf(error: unknown): VideoTaskProblem {
  if (!GatewayError.isInstance(error)) return { kind: "other", message: String(error) };
  const { kind, message, requestId } = error;
  return requestId === undefined ? { kind, message } : { kind, message, requestId };
}
