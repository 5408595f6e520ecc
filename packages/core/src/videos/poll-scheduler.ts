import type { GatewayErrorKind } from "../errors/gateway-error.js";
import { pauseAfter } from "./poll-delay.js";
import type { VideoPoll } from "./poll-video-task.js";
import { type TimerEntry, TimerHeap } from "./timer-heap.js";

const MIN_RATE = 0.5;
const SLOW_DOWN = 0.5;
/** Share of the full rate that a success gives back: a client at its slowest is back within seconds. */
const SPEED_UP = 1 / 20;
const MAX_TIMER_MS = 2 ** 31 - 1;
/** So many tasks fail in a row before it counts as the gateway's state, and not as bad luck of some. */
const OUTAGE_TASKS = 5;
/** While nothing is answered, one poll in so many milliseconds finds out whether that is over. */
const PROBE_MS = 3_000;
/** What says something about a task or the rate, and so proves that the gateway answers and takes the key. */
const ANSWERS: ReadonlySet<GatewayErrorKind> = new Set(["not_found", "bad_request", "rate_limit"]);

/** How fast the watches of a client poll. */
export interface PollPace {
  /** Polls per second now; halves with each pause that a 429 asks for, and recovers with successes. */
  perSecond: number;
  /** Polls per second while nobody complains. */
  maxPerSecond: number;
  /** Milliseconds until the next poll of any task, when a 429 asked for a pause; else 0. */
  pausedForMs: number;
  /** Set while the polls of no task are answered: the gateway is away, or refuses the key. */
  outage?: PollOutage;
}

/** The polls of several tasks in a row failed in ways that say nothing about the tasks. */
export interface PollOutage {
  /** When the first of them failed, in milliseconds since the epoch. */
  since: number;
  /** Until one is answered there is one poll, of whatever task, in so many milliseconds. */
  probeMs: number;
}

/**
 * What a poll is for. Those that somebody asked for come first; during an outage the first poll of a new task comes before
 * those of tasks that failed already, and else whichever is due first.
 */
export type PollReason = "asked" | "regular" | "retry";

/**
 * Runs the polls of all watches of a client: one timer, however many watches there are, at a rate that halves
 * on 429 and recovers with successes. During an outage it polls now and then; when that is over, all tasks that failed
 * meanwhile are due. The timer exists only while something is waiting, so nothing keeps the process alive after the last
 * watch.
 */
export class PollScheduler {
  readonly #asked = new TimerHeap();
  readonly #regular = new TimerHeap();
  readonly #retries = new TimerHeap();
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
  /** Ids of tasks whose polls were not answered in a row; no more than make an outage. */
  readonly #unanswered = new Set<string>();
  #unansweredSince = 0;
  #probeAt = 0;

  readonly #maxRate: number;

  /** @param maxRate polls per second while nobody complains */
  constructor(maxRate: number) {
    this.#maxRate = maxRate;
    this.#rate = maxRate;
  }

  /** Runs a poll when it is due and the rate allows. @returns a function that cancels it */
  schedulePoll(delayMs: number, run: () => void, reason: PollReason = "regular"): () => void {
    const heaps = { asked: this.#asked, regular: this.#regular, retry: this.#retries };
    return this.#add(heaps[reason], delayMs, run);
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
    this.#silentUntil = Math.max(this.#silentUntil, now + pauseAfter(retryAfterMs));
  }

  /** Is told of every poll, also of those that it did not run: tells an outage from the trouble of some tasks. */
  saw(taskId: string, { task, error }: VideoPoll): void {
    if (error?.kind === "aborted") return;
    if (task !== undefined) this.#rate = Math.min(this.#maxRate, this.#rate + this.#maxRate * SPEED_UP);
    if (error === undefined || ANSWERS.has(error.kind)) this.#answered();
    else this.#missed(taskId);
  }

  pace(): PollPace {
    const pausedForMs = Math.max(0, Math.ceil(this.#silentUntil - performance.now()));
    const outage = { since: this.#unansweredSince, probeMs: PROBE_MS };
    return {
      perSecond: this.#rate,
      maxPerSecond: this.#maxRate,
      pausedForMs,
      ...(this.#isOutage && { outage }),
    };
  }

  get #isOutage(): boolean {
    return this.#unanswered.size >= OUTAGE_TASKS;
  }

  #missed(taskId: string): void {
    if (this.#isOutage) return;
    if (this.#unanswered.size === 0) this.#unansweredSince = Date.now();
    this.#unanswered.add(taskId);
    if (this.#isOutage) this.#probeAt = performance.now() + PROBE_MS;
  }

  #answered(): void {
    const wasOutage = this.#isOutage;
    this.#unanswered.clear();
    if (!wasOutage) return;
    this.#retries.hasten(performance.now());
    this.#arm();
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
      for (const heap of [this.#asked, this.#regular, this.#retries]) heap.clear();
      this.#deadlines.clear();
      return;
    }
    const now = performance.now();
    const pollAt = Math.max(
      Math.min(dueOf(this.#asked), dueOf(this.#regular), dueOf(this.#retries)),
      this.#rateAllowsAt(now),
    );
    this.#armedFor = Math.min(pollAt, dueOf(this.#deadlines));
    this.#timer = setTimeout(this.#tick, Math.min(Math.max(0, this.#armedFor - now), MAX_TIMER_MS));
  }

  readonly #tick = (): void => {
    const now = performance.now();
    while (dueOf(this.#deadlines) <= now) this.#runFirst(this.#deadlines);
    this.#credit = Math.min(Math.max(1, this.#rate / 10), this.#creditAt(now));
    this.#creditedAt = now;
    for (let next = this.#nextAt(now); next !== undefined && this.#admits(now); next = this.#nextAt(now)) {
      this.#credit--;
      this.#probeAt = now + PROBE_MS;
      this.#runFirst(next);
    }
    this.#arm();
  };

  /** The heap whose first poll is the next to run; undefined when none is due. */
  #nextAt(now: number): TimerHeap | undefined {
    if (dueOf(this.#asked) <= now) return this.#asked;
    const regular = this.#regular;
    const retries = this.#retries;
    const [first, second] =
      this.#isOutage || dueOf(regular) <= dueOf(retries) ? [regular, retries] : [retries, regular];
    if (dueOf(first) <= now) return first;
    return dueOf(second) <= now ? second : undefined;
  }

  #admits(now: number): boolean {
    return this.#credit >= 1 && this.#silentUntil <= now && !(this.#isOutage && this.#probeAt > now);
  }

  #runFirst(heap: TimerHeap): void {
    const entry = heap.peek();
    if (entry === undefined) return;
    this.#retire(entry);
    heap.pop();
    entry.run();
  }

  #creditAt(now: number): number {
    return this.#credit + ((now - this.#creditedAt) * this.#rate) / 1000;
  }

  #rateAllowsAt(now: number): number {
    const missing = Math.max(0, 1 - this.#creditAt(now));
    const probeAt = this.#isOutage ? this.#probeAt : 0;
    return Math.max(this.#silentUntil, probeAt, now + (missing * 1000) / this.#rate);
  }
}

function dueOf(heap: TimerHeap): number {
  return heap.peek()?.due ?? Number.POSITIVE_INFINITY;
}
