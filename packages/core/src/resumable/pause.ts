import { onAbort } from "../call/abort-signal.js";

/** @param options `signal`: ends it early when it aborts; `ref`: whether it keeps the process from ending, default true */
export function pause(
  ms: number,
  { signal, ref = true }: { signal?: AbortSignal; ref?: boolean } = {},
): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      forget();
      resolve();
    };
    const timer = setTimeout(over, ms);
    const forget = onAbort(signal, over);
    if (signal?.aborted) over();
    // Timers of the web are numbers.
    if (!ref && typeof timer === "object") timer.unref();
  });
}
