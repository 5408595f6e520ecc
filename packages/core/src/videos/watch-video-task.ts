import { NotFoundError, RateLimitError } from "../errors/api-error.js";
import { APIUserAbortError } from "../errors/errors.js";
import { GatewayError } from "../errors/gateway-error.js";
import type { PollScheduler } from "./poll-scheduler.js";
import { VideoTaskTimeoutError } from "./video-errors.js";
import { isTerminal } from "./video-status.js";
import type { VideoTask, VideoTaskHandle } from "./video-types.js";

/** Options of `videos.watch` and `videos.wait`. */
export interface WatchOptions {
  /** First distance between polls in milliseconds; grows with the age of the task to six times that. Default 5000. */
  intervalMs?: number;
  /** Gives up after this time with a `VideoTaskTimeoutError`, also while a poll hangs. Default: never. */
  timeoutMs?: number;
  /** Ends the watch at once with an `APIUserAbortError`. The task itself goes on. */
  signal?: AbortSignal;
}

const DEFAULT_INTERVAL_MS = 5_000;
const MAX_INTERVAL_FACTOR = 6;
/** A task of this many intervals' age is polled at twice the interval, and so on. */
const AGE_FACTOR = 20;
const MAX_FAILED_POLLS = 10;
/** A new task may not be known on every server yet. */
const NOT_FOUND_GRACE_MS = 30_000;
const JITTER = 0.1;

type Poll = (handle: VideoTaskHandle, signal: AbortSignal) => Promise<VideoTask>;

/** Polls a task and yields it at each change; ends after a terminal status. */
export class VideoTaskWatch implements AsyncIterableIterator<VideoTask> {
  private readonly startedAt = performance.now();
  private readonly intervalMs: number;
  private readonly stopPolling = new AbortController();
  private cancelDeadline: (() => void) | undefined;
  private cancelPoll: (() => void) | undefined;
  private last: VideoTask | undefined;
  private failedPolls = 0;
  private over = false;
  private error: unknown;
  /** Wakes the reader that waits for the next change. */
  private wake: (() => void) | undefined;
  private changes: VideoTask[] = [];

  constructor(
    private readonly handle: VideoTaskHandle,
    private readonly options: WatchOptions,
    private readonly scheduler: PollScheduler,
    private readonly poll: Poll,
  ) {
    this.intervalMs = options.intervalMs ?? DEFAULT_INTERVAL_MS;
    const { signal, timeoutMs } = options;
    if (signal?.aborted) {
      this.end(this.abortError());
      return;
    }
    signal?.addEventListener("abort", this.onAbort, { once: true });
    if (timeoutMs !== undefined) {
      this.cancelDeadline = scheduler.scheduleDeadline(timeoutMs, () =>
        this.end(new VideoTaskTimeoutError(handle, timeoutMs, this.last)),
      );
    }
    this.schedule(0);
  }

  async next(): Promise<IteratorResult<VideoTask>> {
    while (this.changes.length === 0 && !this.over) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    const change = this.changes.shift();
    if (change !== undefined) return { value: change, done: false };
    const { error } = this;
    this.error = undefined;
    if (error !== undefined) throw error;
    return { value: undefined, done: true };
  }

  /** Ends this watch; called by leaving a `for await` loop. */
  async return(): Promise<IteratorResult<VideoTask>> {
    this.changes = [];
    this.end(undefined);
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private schedule(delayMs: number): void {
    this.cancelPoll = this.scheduler.schedulePoll(delayMs, () => void this.pollOnce());
  }

  private async pollOnce(): Promise<void> {
    try {
      const task = await this.poll(this.handle, this.stopPolling.signal);
      if (this.over) return;
      this.failedPolls = 0;
      this.scheduler.pollSucceeded();
      this.see(task);
      if (isTerminal(task.status)) this.end(undefined);
    } catch (error) {
      if (this.over) return;
      this.judge(error);
    }
    if (!this.over) this.schedule(this.nextInterval());
  }

  private see(task: VideoTask): void {
    const changed = this.last === undefined || !looksEqual(this.last, task);
    this.last = task;
    if (!changed) return;
    this.changes.push(task);
    this.wake?.();
  }

  /** Rides out what may pass; ends the watch on what stays. */
  private judge(error: unknown): void {
    if (!(error instanceof GatewayError)) {
      this.end(error);
      return;
    }
    this.failedPolls++;
    if (error instanceof RateLimitError) this.scheduler.slowDown(error.retryAfterMs);
    const young = error instanceof NotFoundError && this.ageMs() < NOT_FOUND_GRACE_MS;
    if (young) this.failedPolls = 0;
    const passing = young || error.retryable || error.kind === "invalid_response";
    if (passing && this.failedPolls < MAX_FAILED_POLLS) return;
    error.handle = this.handle;
    this.end(error);
  }

  private nextInterval(): number {
    const grown = Math.max(this.intervalMs, this.ageMs() / AGE_FACTOR);
    const widened =
      Math.min(grown, this.intervalMs * MAX_INTERVAL_FACTOR) * 2 ** Math.min(this.failedPolls, 3);
    return widened * (1 - JITTER + 2 * JITTER * Math.random());
  }

  private ageMs(): number {
    const { createdAt } = this.handle;
    return createdAt === undefined ? performance.now() - this.startedAt : Date.now() - createdAt;
  }

  private end(error: unknown): void {
    if (this.over) return;
    this.over = true;
    this.error = error;
    this.cancelDeadline?.();
    this.cancelPoll?.();
    this.options.signal?.removeEventListener("abort", this.onAbort);
    this.stopPolling.abort();
    this.wake?.();
  }

  private readonly onAbort = (): void => {
    this.changes = [];
    this.end(this.abortError());
  };

  private abortError(): APIUserAbortError {
    const error = new APIUserAbortError(
      `The watch of video task ${this.handle.id} was aborted by the caller. The task itself goes on.`,
      { cause: this.options.signal?.reason },
    );
    error.handle = this.handle;
    return error;
  }
}

function looksEqual(before: VideoTask, now: VideoTask): boolean {
  return (
    before.status === now.status &&
    before.rawStatus === now.rawStatus &&
    before.progress === now.progress &&
    before.lastFrameUrl === now.lastFrameUrl &&
    before.error?.code === now.error?.code &&
    before.error?.message === now.error?.message &&
    before.videos.length === now.videos.length &&
    before.videos.every(
      ({ url, watermarkUrl }, index) =>
        url === now.videos[index]?.url && watermarkUrl === now.videos[index]?.watermarkUrl,
    )
  );
}
