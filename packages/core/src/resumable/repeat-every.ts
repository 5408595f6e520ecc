import { pause } from "./pause.js";

/**
 * Does something again and again, so many milliseconds after it was done before, until the signal aborts. Keeps no process
 * from ending.
 *
 * @param work must not reject
 */
export async function repeatEvery(ms: number, signal: AbortSignal, work: () => unknown): Promise<void> {
  while (!signal.aborted) {
    await pause(ms, { signal, ref: false });
    if (!signal.aborted) await work();
  }
}
