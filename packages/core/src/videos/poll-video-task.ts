import { NotFoundError, RateLimitError } from "../errors/api-error.js";
import { GatewayError } from "../errors/gateway-error.js";
import type { VideoTaskHandle } from "../tasks/video-task-handle.js";
import { isTerminal } from "./video-status.js";
import type { VideoTask } from "./video-types.js";

/** How a task is polled that cannot be read at the moment. Durations are milliseconds. */
export interface PollBackoff {
  /** Wait after the first poll that failed in a way that passes; doubles with each one in a row. Default 1000. */
  firstMs?: number;
  /** What it grows to. Default `intervalMs`. */
  maxMs?: number;
  /** Wait after a poll that was refused, which may need somebody to act: 400, 401, 403, 404. Default six times `intervalMs`. */
  refusedMs?: number;
}

/** Options of `videos.poll`. */
export interface PollOptions {
  /** Distance between the first polls in milliseconds; grows with the age of the task to six times that. Default 5000. */
  intervalMs?: number;
  /** Distances between polls that fail. */
  backoff?: PollBackoff;
  /** `failedPolls` of the poll before. Default 0. */
  failedPolls?: number;
  /** The task as last seen: tells whether it changed. */
  last?: VideoTask;
  signal?: AbortSignal;
}

/** What one poll found, and when the next is due. */
export interface VideoPoll {
  /** The task now; undefined when the poll failed. */
  task?: VideoTask;
  /** Whether status, progress, result URLs or error differ from `last`. */
  changed: boolean;
  /** Why the poll failed. It says nothing about the task: that goes on, and is worth polling. */
  error?: GatewayError;
  /** Polls that failed in a row, this one included. */
  failedPolls: number;
  /** Milliseconds until the next poll; undefined when none makes sense: the task is over, or the caller aborted. */
  nextPollMs?: number;
  /** The gateway asked to slow down: no poll of any task for so many milliseconds. */
  pauseMs?: number;
}

export const DEFAULT_INTERVAL_MS = 5_000;
const MAX_INTERVAL_FACTOR = 6;
/** A task of this many intervals' age is polled at twice the interval, and so on. */
const AGE_FACTOR = 20;
/** A new task may not be known on every server yet. */
const NOT_FOUND_GRACE_MS = 30_000;
const FIRST_BACKOFF_MS = 1_000;
/** After a 429 that names no time. */
const PAUSE_MS = 1_000;
/** A server that asks for more gets this much: a day's silence would look like a day's work. */
const MAX_PAUSE_MS = 60_000;
const JITTER = 0.1;

/**
 * Polls once, and judges what came:
 *
 * | the poll | the next comes after |
 * |---|---|
 * | read the task, or found none within 30 s of its creation | `intervalMs`, growing with the task's age to six times that |
 * | 429 | `Retry-After`, at most 60 s, or the interval if that is longer |
 * | 5xx, no answer, an answer that is no task | `backoff.firstMs`, doubling to `backoff.maxMs` |
 * | was refused: 400, 401, 403, 404, a redirect | `backoff.refusedMs` |
 *
 * @param ageMs undefined when nobody knows how old the task is
 * @throws what is no error of the gateway
 */
export async function pollVideoTask(
  retrieve: () => Promise<VideoTask>,
  { intervalMs = DEFAULT_INTERVAL_MS, backoff = {}, failedPolls = 0, last }: PollOptions,
  ageMs: () => number | undefined,
): Promise<VideoPoll> {
  try {
    const task = await retrieve();
    const changed = last === undefined || !looksEqual(last, task);
    if (isTerminal(task.status)) return { task, changed, failedPolls: 0 };
    return { task, changed, failedPolls: 0, nextPollMs: spread(intervalAt(intervalMs, ageMs())) };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const age = ageMs();
    const regularMs = intervalAt(intervalMs, age);
    if (error instanceof NotFoundError && age !== undefined && age < NOT_FOUND_GRACE_MS) {
      return { changed: false, error, failedPolls: 0, nextPollMs: spread(regularMs) };
    }
    const failed: VideoPoll = { changed: false, error, failedPolls: failedPolls + 1 };
    if (error.kind === "aborted") return failed;
    if (error instanceof RateLimitError) {
      const pauseMs = Math.min(MAX_PAUSE_MS, error.retryAfterMs ?? PAUSE_MS);
      return { ...failed, nextPollMs: spread(Math.max(regularMs, pauseMs)), pauseMs };
    }
    const passes = error.retryable || error.kind === "invalid_response";
    if (!passes) {
      const refusedMs = backoff.refusedMs ?? intervalMs * MAX_INTERVAL_FACTOR;
      return { ...failed, nextPollMs: spread(refusedMs) };
    }
    const { firstMs = FIRST_BACKOFF_MS, maxMs = regularMs } = backoff;
    return { ...failed, nextPollMs: spread(Math.min(maxMs, firstMs * 2 ** Math.min(failedPolls, 20))) };
  }
}

/** Age of a task, as its handle tells. */
export function ageOf({ createdAt }: VideoTaskHandle): number | undefined {
  return createdAt === undefined ? undefined : Date.now() - createdAt;
}

function intervalAt(intervalMs: number, ageMs: number | undefined): number {
  return Math.min(Math.max(intervalMs, (ageMs ?? 0) / AGE_FACTOR), intervalMs * MAX_INTERVAL_FACTOR);
}

/** Tasks that were created together are not polled together for ever. */
function spread(ms: number): number {
  return ms * (1 - JITTER + 2 * JITTER * Math.random());
}

function looksEqual(before: VideoTask, now: VideoTask): boolean {
  return (
    before.status === now.status &&
    before.rawStatus === now.rawStatus &&
    before.progress === now.progress &&
    before.lastFrameURL === now.lastFrameURL &&
    before.error?.code === now.error?.code &&
    before.error?.message === now.error?.message &&
    before.videos.length === now.videos.length &&
    before.videos.every(
      ({ url, watermarkURL }, index) =>
        url === now.videos[index]?.url && watermarkURL === now.videos[index]?.watermarkURL,
    )
  );
}
