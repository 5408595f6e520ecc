import { GatewayError } from "../errors/gateway-error.js";
import type { VideoTaskHandle } from "../tasks/video-task-handle.js";
import { MAX_INTERVAL_FACTOR, type PollBackoff, pollDelay } from "./poll-delay.js";
import { isTerminal } from "./video-status.js";
import type { VideoTask } from "./video-types.js";

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
/** A task of this many intervals' age is polled at twice the interval, and so on. */
const AGE_FACTOR = 20;
const JITTER = 0.1;

/**
 * Polls once, and judges what came. A task that was read is polled again after `intervalMs`, growing with its age to six
 * times that; `pollDelay` says when one is that could not be.
 *
 * @param ageMs undefined when nobody knows how old the task is
 * @throws what is no error of the gateway
 */
export async function pollVideoTask(
  retrieve: () => Promise<VideoTask>,
  { intervalMs = DEFAULT_INTERVAL_MS, backoff = {}, failedPolls: failedBefore = 0, last }: PollOptions,
  ageMs: () => number | undefined,
): Promise<VideoPoll> {
  try {
    const task = await retrieve();
    const changed = last === undefined || !looksEqual(last, task);
    if (isTerminal(task.status)) return { task, changed, failedPolls: 0 };
    return { task, changed, failedPolls: 0, nextPollMs: spread(intervalAt(intervalMs, ageMs())) };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    if (error.kind === "aborted") return { changed: false, error, failedPolls: failedBefore + 1 };
    const age = ageMs();
    const regularMs = intervalAt(intervalMs, age);
    const delay = pollDelay({ error, failedBefore, intervalMs, regularMs, ageMs: age, backoff });
    const { nextPollMs, pauseMs, counts } = delay;
    return {
      changed: false,
      error,
      failedPolls: counts ? failedBefore + 1 : 0,
      nextPollMs: spread(nextPollMs),
      ...(pauseMs !== undefined && { pauseMs }),
    };
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
