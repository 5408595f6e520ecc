import { onAbort } from "./abort-signal.js";

/** Longest time that a timer can hold, in milliseconds. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Waits; an abort ends the wait at once by rejecting with the signal's reason, and leaves no listener behind.
 * @param ms duration in milliseconds
 */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const forget = onAbort(signal, () => {
      clearTimeout(timer);
      reject(signal?.reason);
    });
    const timer = setTimeout(() => {
      forget();
      resolve();
    }, ms);
  });
}

/** What `within` rejects with when the time is over. */
export const OUT_OF_TIME = Symbol("out of time");

/**
 * Waits for somebody else's promise, but no longer than `ms` milliseconds and no longer than the signal says.
 * Rejects with `OUT_OF_TIME`, or with the signal's reason.
 */
export function within<T>(work: Promise<T>, ms: number, signal?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      // Nobody waits for it any more, and its failure would end the process.
      work.catch(() => {});
      reject(signal.reason);
      return;
    }
    const stop = () => {
      clearTimeout(timer);
      forget();
    };
    const timer =
      ms === Number.POSITIVE_INFINITY
        ? undefined
        : setTimeout(
            () => {
              stop();
              reject(OUT_OF_TIME);
            },
            Math.min(ms, MAX_TIMER_MS),
          );
    const forget = onAbort(signal, () => {
      stop();
      reject(signal?.reason);
    });
    work.then(
      (value) => {
        stop();
        resolve(value);
      },
      (error) => {
        stop();
        reject(error);
      },
    );
  });
}
