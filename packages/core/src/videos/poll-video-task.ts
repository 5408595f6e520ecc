import { NotFoundError, RateLimitError } from "../errors/api-error.js";
import { GatewayError } from "../errors/gateway-error.js";
import { isTerminal } from "./video-status.js";
import type { VideoTask, VideoTaskHandle } from "./video-types.js";

/** Options of `videos.poll`. */
export interface PollOptions {
  /** Distance between the first polls in milliseconds; grows with the age of the task to six times that. Default 5000. */
  intervalMs?: number;
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
  /** Why the poll failed. */
  error?: GatewayError;
  /** Polls that failed in a row, this one included. */
  failedPolls: number;
  /** Milliseconds until the next poll; undefined when none makes sense: the task is over, or `error` will not pass. */
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
/** After a 429 that names no time; doubles with each failed poll in a row. */
const PAUSE_MS = 1_000;
const JITTER = 0.1;

/**
 * Polls once, and judges what came.
 *
 * @param ageMs undefined when nobody knows how old the task is
 * @throws what is no error of the gateway
 */
export async function pollVideoTask(
  retrieve: () => Promise<VideoTask>,
  { intervalMs = DEFAULT_INTERVAL_MS, failedPolls = 0, last }: PollOptions,
  ageMs: () => number | undefined,
): Promise<VideoPoll> {
  try {
    const task = await retrieve();
    const changed = last === undefined || !looksEqual(last, task);
    if (isTerminal(task.status)) return { task, changed, failedPolls: 0 };
    return { task, changed, failedPolls: 0, nextPollMs: pollInterval(intervalMs, ageMs(), 0) };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const age = ageMs();
    const young = error instanceof NotFoundError && age !== undefined && age < NOT_FOUND_GRACE_MS;
    const failed: VideoPoll = { changed: false, error, failedPolls: young ? 0 : failedPolls + 1 };
    if (!young && !error.retryable && error.kind !== "invalid_response") return failed;
    const nextPollMs = pollInterval(intervalMs, age, failed.failedPolls);
    if (!(error instanceof RateLimitError)) return { ...failed, nextPollMs };
    return { ...failed, nextPollMs, pauseMs: error.retryAfterMs ?? PAUSE_MS * 2 ** Math.min(failedPolls, 5) };
  }
}

/** Age of a task, as its handle tells. */
export function ageOf({ createdAt }: VideoTaskHandle): number | undefined {
  return createdAt === undefined ? undefined : Date.now() - createdAt;
}

function pollInterval(intervalMs: number, ageMs: number | undefined, failedPolls: number): number {
  const grown = Math.max(intervalMs, (ageMs ?? 0) / AGE_FACTOR);
  const widened = Math.min(grown, intervalMs * MAX_INTERVAL_FACTOR) * 2 ** Math.min(failedPolls, 3);
  return widened * (1 - JITTER + 2 * JITTER * Math.random());
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
