import { MAX_RETRY_AFTER_MS } from "./retry-policy.js";

interface Waiter {
  admit(): void;
}

/** Above this many calls at once a limit that was lowered counts as lifted. */
const LIMIT_LIFTED = 4_096;

/**
 * Lets calls through: at most `maxConcurrency` at once, fewer after a 429, none while the gateway asked to wait.
 * The limit halves with each 429 and grows by one per round of successes (additive increase, multiplicative
 * decrease). First come, first served.
 */
export class CallGate {
  private running = 0;
  private limit: number;
  private pausedUntil = 0;
  private readonly waiting: Waiter[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** @param maxConcurrency `Infinity` for no limit */
  constructor(private readonly maxConcurrency: number) {
    this.limit = maxConcurrency;
  }

  /**
   * @returns undefined when the call may start at once, else a promise of its turn, which rejects with the
   * signal's reason on abort. Every admitted call must `leave`.
   */
  enter(signal: AbortSignal | undefined): Promise<void> | undefined {
    if (this.waiting.length === 0 && this.isOpen()) {
      this.running++;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        admit: () => {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        },
      };
      const onAbort = () => {
        this.waiting.splice(this.waiting.indexOf(waiter), 1);
        reject(signal?.reason);
      };
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      signal?.addEventListener("abort", onAbort, { once: true });
      this.waiting.push(waiter);
      this.admitWaiting();
    });
  }

  leave(): void {
    this.running--;
    if (this.waiting.length > 0) this.admitWaiting();
  }

  /** A call was answered: a lowered limit recovers. */
  succeeded(): void {
    if (this.limit === this.maxConcurrency) return;
    this.limit = Math.min(this.maxConcurrency, this.limit + 1 / this.limit);
    if (this.limit > LIMIT_LIFTED) this.limit = this.maxConcurrency;
  }

  /**
   * The gateway answered 429.
   * @param retryAfterMs the wait it asked for, in milliseconds
   */
  slowDown(retryAfterMs: number | undefined): void {
    this.limit = Math.max(1, Math.floor(Math.min(this.limit, this.running) / 2));
    // A wait that no call would sit out holds nobody up either: each call fails and says how long it is.
    if (retryAfterMs === undefined || retryAfterMs > MAX_RETRY_AFTER_MS) return;
    this.pausedUntil = Math.max(this.pausedUntil, performance.now() + retryAfterMs);
  }

  private isOpen(): boolean {
    return this.running < Math.floor(this.limit) && this.pausedUntil <= performance.now();
  }

  private admitWaiting(): void {
    while (this.waiting.length > 0 && this.isOpen()) {
      this.running++;
      this.waiting.shift()?.admit();
    }
    const pause = this.pausedUntil - performance.now();
    if (this.waiting.length === 0 || pause <= 0 || this.timer !== undefined) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.admitWaiting();
    }, pause);
  }
}
