import { onAbort } from "../call/abort-signal.js";
import { APIUserAbortError } from "../errors/errors.js";
import type { GatewayError } from "../errors/gateway-error.js";
import type { VideoTaskHandle } from "../tasks/video-task-handle.js";
import type { PollBackoff } from "./poll-delay.js";
import type { PollReason, PollScheduler } from "./poll-scheduler.js";
import { ageOf, pollVideoTask, type VideoPoll } from "./poll-video-task.js";
import { VideoTaskTimeoutError } from "./video-errors.js";
import type { VideoTask } from "./video-types.js";

/** Options of `videos.watch` and `videos.wait`. */
export interface WatchOptions {
  /** First distance between polls in milliseconds; grows with the age of the task to six times that. Default 5000. */
  intervalMs?: number;
  /** Distances between polls that fail. */
  backoff?: PollBackoff;
  /** Gives up after this time with a `VideoTaskTimeoutError`, also while a poll hangs. Default: never. */
  timeoutMs?: number;
  /** Ends the watch at once with an `APIUserAbortError`. The task itself goes on. */
  signal?: AbortSignal;
  /** Is told of each poll when it is through, also of those that failed or found no change. Must not throw. */
  onPoll?: (poll: VideoPoll) => void;
}

/** Why a task cannot be read at the moment. */
export interface PollTrouble {
  /** Of the last poll. */
  error: GatewayError;
  /** Polls that failed in a row. */
  failedPolls: number;
  /** When the first of them failed, in milliseconds since the epoch. */
  since: number;
}

/** A task as it changes, for `for await`; leaving the loop ends the watch. */
export interface VideoWatch extends AsyncIterableIterator<VideoTask> {
  /** Set while the task cannot be read: the watch polls on, slowly, since the task itself goes on. */
  readonly trouble: PollTrouble | undefined;
  /**
   * Polls ahead of time, such as on a callback: at once, or a second after the last poll if that comes later, and
   * before polls that nobody asked for. The client's rate holds, so calling it often costs nothing.
   */
  pollSoon(): void;
}

const MIN_GAP_MS = 1_000;

type Retrieve = (handle: VideoTaskHandle, signal: AbortSignal) => Promise<VideoTask>;

/** Polls a task and yields it at each change; ends after a terminal status. */
export class VideoTaskWatch implements VideoWatch {
  readonly #startedAt = performance.now();
  readonly #stopPolling = new AbortController();
  #cancelDeadline: (() => void) | undefined;
  #cancelPoll: (() => void) | undefined;
  #nextPollAt = 0;
  #lastPollAt = Number.NEGATIVE_INFINITY;
  #polling = false;
  #soon = false;
  /** Whether the poll that waits was asked for. */
  #asked = false;
  #last: VideoTask | undefined;
  #troubled: PollTrouble | undefined;
  #forgetSignal: (() => void) | undefined;
  #over = false;
  #error: unknown;
  /** Wakes the reader that waits for the next change. */
  #wake: (() => void) | undefined;
  #changes: VideoTask[] = [];

  readonly #handle: VideoTaskHandle;
  readonly #options: WatchOptions;
  readonly #scheduler: PollScheduler;
  readonly #retrieve: Retrieve;
  readonly #tell: (poll: VideoPoll) => void;

  constructor(
    handle: VideoTaskHandle,
    options: WatchOptions,
    scheduler: PollScheduler,
    retrieve: Retrieve,
    tell: (poll: VideoPoll) => void = () => {},
  ) {
    this.#handle = handle;
    this.#options = options;
    this.#scheduler = scheduler;
    this.#retrieve = retrieve;
    this.#tell = tell;
    const { signal, timeoutMs } = options;
    if (signal?.aborted) {
      this.#end(this.#abortError());
      return;
    }
    this.#forgetSignal = onAbort(signal, this.#onAbort);
    if (timeoutMs !== undefined) {
      this.#cancelDeadline = scheduler.scheduleDeadline(timeoutMs, () =>
        this.#end(new VideoTaskTimeoutError(handle, timeoutMs, this.#last)),
      );
    }
    this.#schedule(0, "regular");
  }

  async next(): Promise<IteratorResult<VideoTask>> {
    while (this.#changes.length === 0 && !this.#over) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const change = this.#changes.shift();
    if (change !== undefined) return { value: change, done: false };
    const error = this.#error;
    this.#error = undefined;
    if (error !== undefined) throw error;
    return { value: undefined, done: true };
  }

  /** Ends this watch; called by leaving a `for await` loop. */
  async return(): Promise<IteratorResult<VideoTask>> {
    this.#changes = [];
    this.#end(undefined);
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  get trouble(): PollTrouble | undefined {
    return this.#troubled;
  }

  pollSoon(): void {
    if (this.#over) return;
    if (this.#polling) {
      // What this poll sees may be older than what the caller heard of.
      this.#soon = true;
      return;
    }
    if (this.#asked) return;
    const now = performance.now();
    const soonestAt = Math.max(now, this.#lastPollAt + MIN_GAP_MS);
    this.#cancelPoll?.();
    this.#schedule(Math.min(soonestAt, Math.max(now, this.#nextPollAt)) - now, "asked");
  }

  #schedule(delayMs: number, reason: PollReason): void {
    this.#asked = reason === "asked";
    this.#nextPollAt = performance.now() + delayMs;
    this.#cancelPoll = this.#scheduler.schedulePoll(delayMs, () => void this.#pollOnce(), reason);
  }

  async #pollOnce(): Promise<void> {
    this.#polling = true;
    this.#asked = false;
    this.#soon = false;
    try {
      const nextPollMs = await this.#pollAndTell();
      if (this.#over) return;
      this.#lastPollAt = performance.now();
      if (nextPollMs === undefined) return;
      if (this.#soon) this.#schedule(Math.min(MIN_GAP_MS, nextPollMs), "asked");
      else this.#schedule(nextPollMs, this.#troubled === undefined ? "regular" : "retry");
    } catch (error) {
      this.#end(error);
    } finally {
      this.#polling = false;
    }
  }

  /** @returns when the next poll is due; undefined when the watch is over */
  async #pollAndTell(): Promise<number | undefined> {
    const { intervalMs, backoff } = this.#options;
    const poll = await pollVideoTask(
      () => this.#retrieve(this.#handle, this.#stopPolling.signal),
      { intervalMs, backoff, failedPolls: this.#troubled?.failedPolls ?? 0, last: this.#last },
      () => ageOf(this.#handle) ?? performance.now() - this.#startedAt,
    );
    if (this.#over) return undefined;
    const { task, error, failedPolls, pauseMs, nextPollMs } = poll;
    if (error !== undefined) error.handle = this.#handle;
    this.#troubled =
      error === undefined || failedPolls === 0
        ? undefined
        : { error, failedPolls, since: this.#troubled?.since ?? Date.now() };
    this.#scheduler.saw(this.#handle.id, poll);
    this.#tell(poll);
    this.#options.onPoll?.(poll);
    if (task !== undefined) this.#see(task, poll.changed);
    if (pauseMs !== undefined) this.#scheduler.slowDown(pauseMs);
    if (nextPollMs === undefined) this.#end(error);
    return nextPollMs;
  }

  #see(task: VideoTask, changed: boolean): void {
    this.#last = task;
    if (!changed) return;
    this.#changes.push(task);
    this.#wake?.();
  }

  #end(error: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#error = error;
    this.#cancelDeadline?.();
    this.#cancelPoll?.();
    this.#forgetSignal?.();
    this.#stopPolling.abort();
    this.#wake?.();
  }

  readonly #onAbort = (): void => {
    this.#changes = [];
    this.#end(this.#abortError());
  };

  #abortError(): APIUserAbortError {
    const error = new APIUserAbortError(
      `The watch of video task ${this.#handle.id} was aborted by the caller. The task itself goes on.`,
      { cause: this.#options.signal?.reason },
    );
    error.handle = this.#handle;
    return error;
  }
}
