import { ConfigurationError } from "@model-gateway/core";

const DEFAULT_MAX_FINISHED = 10_000;
/** A sweep is worth its while when it is rare beside what it waits for. */
const SWEEPS_PER_PERIOD = 10;
const SHORTEST_SWEEP_MS = 1_000;
const LONGEST_SWEEP_MS = 60 * 60 * 1_000;

/**
 * What a store forgets of finished tasks: those that are over, `rejected`, or polled no more on demand. `unknown` ones
 * all stay. A task that is forgotten is gone from the store's files or server too, and its key is free again.
 */
export interface VideoTaskRetention {
  /** Finished tasks that are kept; the oldest are forgotten first. Default 10000. */
  maxFinished?: number;
  /**
   * Milliseconds that a finished task is kept; forgotten within a tenth more, or an hour where that is less. Default:
   * for as long as `maxFinished` leaves it.
   */
  finishedForMs?: number;
}

/** A retention whose defaults are filled in. */
export type ResolvedRetention = Required<Pick<VideoTaskRetention, "maxFinished">> & {
  finishedForMs: number | undefined;
};

/**
 * @param owner the store or option that was given it, for the error
 * @throws ConfigurationError that names the option
 */
export function resolveRetention(owner: string, retention: VideoTaskRetention = {}): ResolvedRetention {
  const { maxFinished = DEFAULT_MAX_FINISHED, finishedForMs, ...unknown } = retention;
  const [stranger] = Object.keys(unknown);
  if (stranger !== undefined)
    throw new ConfigurationError(
      `Option retention.${stranger} of ${owner} is unknown. Known are maxFinished and finishedForMs.`,
    );
  for (const [name, value] of Object.entries({ maxFinished, finishedForMs })) {
    if (value === undefined || (Number.isInteger(value) && value > 0)) continue;
    throw new ConfigurationError(
      `Option retention.${name} of ${owner} must be a whole number above 0, and not ${String(value)}.`,
    );
  }
  return { maxFinished, finishedForMs };
}

/** Milliseconds between two looks for what has been finished for too long. */
export function sweepIntervalMs(finishedForMs: number): number {
  return Math.min(Math.max(finishedForMs / SWEEPS_PER_PERIOD, SHORTEST_SWEEP_MS), LONGEST_SWEEP_MS);
}
