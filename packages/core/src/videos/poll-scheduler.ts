import { type TimerEntry, TimerHeap } from "./timer-heap.js";

const MIN_RATE = 0.5;
const SLOW_DOWN = 0.5;
/** Share of the full rate that a success gives back: a client at its slowest is back within seconds. */
const SPEED_UP = 1 / 20;
/** After a 429 that names no time, and the longest that is waited after one that does, in milliseconds. */
const PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
const MAX_TIMER_MS = 2 ** 31 - 1;

/** How fast the watches of a client poll. */
export interface PollPace {
  /** Polls per second now; halves with each pause that a 429 asks for, and recovers with successes. */
  perSecond: number;
  /** Polls per second while nobody complains. */
  maxPerSecond: number;
  /** Milliseconds until the next poll of any task, when a 429 asked for a pause; else 0. */
  pausedForMs: number;
}

/**
 * Runs the polls of all watches of a client: one timer, however many watches there are, at a rate that halves
 * on 429 and recovers with successes. The timer exists only while something is waiting, so nothing keeps the
 * process alive after the last watch.
 */
export class PollScheduler {
  readonly #polls = new TimerHeap();
  readonly #deadlines = new TimerHeap();
  #waiting = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #armedFor = Number.POSITIVE_INFINITY;
  #rate: number;
  /** Polls that may start at once; at most a tenth of a second's worth is saved up. */
  #credit = 1;
  #creditedAt = performance.now();
  /** No poll before this time: the wait a 429 asked for. */
  #silentUntil = 0;
  readonly #maxRate: number;

  /** @param maxRate polls per second while nobody complains */
  constructor(maxRate: number) {
    this.#maxRate = maxRate;
    this.#rate = maxRate;
  }

  /** Runs a poll when it is due and the rate allows. @returns a function that cancels it */
  schedulePoll(delayMs: number, run: () => void): () => void {
    return this.#add(this.#polls, delayMs, run);
  }

  /** Runs something at a time, whatever the rate. @returns a function that cancels it */
  scheduleDeadline(delayMs: number, run: () => void): () => void {
    return this.#add(this.#deadlines, delayMs, run);
  }

  /**
   * The gateway asked to slow down: all polls wait, and come at half the rate after that. Polls that were under way
   * together are refused together: during a pause the rate is not halved again.
   * @param retryAfterMs the wait it asked for, in milliseconds; at most a minute of it is waited
   */
  slowDown(retryAfterMs: number | undefined): void {
    const now = performance.now();
    if (this.#silentUntil <= now) {
      this.#rate = Math.max(Math.min(MIN_RATE, this.#maxRate), this.#rate * SLOW_DOWN);
    }
    const wait = Math.min(MAX_PAUSE_MS, retryAfterMs ?? PAUSE_MS);
    this.#silentUntil = Math.max(this.#silentUntil, now + wait);
  }

  pollSucceeded(): void {
    this.#rate = Math.min(this.#maxRate, this.#rate + this.#maxRate * SPEED_UP);
  }

  pace(): PollPace {
    const pausedForMs = Math.max(0, Math.ceil(this.#silentUntil - performance.now()));
    return { perSecond: this.#rate, maxPerSecond: this.#maxRate, pausedForMs };
  }

  #add(heap: TimerHeap, delayMs: number, run: () => void): () => void {
    const entry: TimerEntry = { due: performance.now() + delayMs, run, cancelled: false };
    heap.push(entry);
    this.#waiting++;
    if (entry.due < this.#armedFor) this.#arm();
    return () => {
      if (entry.cancelled) return;
      this.#retire(entry);
      if (this.#waiting === 0) this.#arm();
    };
  }

  #retire(entry: TimerEntry): void {
    entry.cancelled = true;
    this.#waiting--;
  }

  #arm(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#armedFor = Number.POSITIVE_INFINITY;
    if (this.#waiting === 0) {
      this.#polls.clear();
      this.#deadlines.clear();
      return;
    }
    const now = performance.now();
    const poll = this.#polls.peek();
    const deadline = this.#deadlines.peek();
    const pollAt =
      poll === undefined ? Number.POSITIVE_INFINITY : Math.max(poll.due, this.#rateAllowsAt(now));
    this.#armedFor = Math.min(pollAt, deadline?.due ?? Number.POSITIVE_INFINITY);
    this.#timer = setTimeout(this.#tick, Math.min(Math.max(0, this.#armedFor - now), MAX_TIMER_MS));
  }

  readonly #tick = (): void => {
    const now = performance.now();
    this.#runDue(this.#deadlines, now, () => true);
    this.#credit = Math.min(Math.max(1, this.#rate / 10), this.#creditAt(now));
    this.#creditedAt = now;
    this.#runDue(this.#polls, now, () => {
      if (this.#credit < 1 || this.#silentUntil > now) return false;
      this.#credit--;
      return true;
    });
    this.#arm();
  };

  #runDue(heap: TimerHeap, now: number, admit: () => boolean): void {
    for (let entry = heap.peek(); entry !== undefined && entry.due <= now && admit(); entry = heap.peek()) {
      this.#retire(entry);
      heap.pop();
      entry.run();
    }
  }

  #creditAt(now: number): number {
    return this.#credit + ((now - this.#creditedAt) * this.#rate) / 1000;
  }

  #rateAllowsAt(now: number): number {
    const missing = Math.max(0, 1 - this.#creditAt(now));
    return Math.max(this.#silentUntil, now + (missing * 1000) / this.#rate);
  }
}
