import { defer, EMPTY, fromEvent, lastValueFrom, NEVER, of, retry, takeUntil, timeout } from "rxjs";

/** How `insist` goes about it. */
export interface InsistOptions {
  /** Between two attempts, in milliseconds. */
  againMs: number;
  /** Ends it, between two attempts. */
  signal: AbortSignal;
  /** Is told of each attempt that failed. */
  failed(error: unknown): void;
}

/** Does something until it succeeds, or the signal aborts. An attempt under way is waited for. Never rejects. */
export async function insist(
  attempt: () => Promise<void>,
  { againMs, signal, failed }: InsistOptions,
): Promise<void> {
  const again = (error: unknown) => {
    failed(error);
    if (signal.aborted) return EMPTY;
    return NEVER.pipe(
      timeout({ first: againMs, with: () => of(undefined) }),
      takeUntil(fromEvent(signal, "abort")),
    );
  };
  await lastValueFrom(defer(attempt).pipe(retry({ delay: again })), { defaultValue: undefined });
}
