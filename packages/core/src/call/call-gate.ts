import { onAbort } from "./abort-signal.js";
import { MAX_TIMER_MS } from "./delay.js";
import { MAX_RETRY_AFTER_MS } from "./retry-policy.js";

/** Above this many calls at once a limit that was lowered counts as lifted. */
const LIMIT_LIFTED = 4_096;

/** What a call waits for, and how long it may. */
export interface Turn {
  /** Calls of one lane share the limits that a 429 sets: those of one route and one model. */
  lane: string;
  signal?: AbortSignal;
  /** Longest pause asked for by a 429 that this call sits out, in milliseconds. */
  maxPauseMs: number;
  /** Longest wait for whatever reason, in milliseconds. */
  maxWaitMs: number;
}

/** Why a call did not get its turn. */
export type TurnRefusal =
  | { kind: "aborted"; cause: unknown }
  /** A 429 asked to wait longer than this call may. */
  | { kind: "paused"; forMs: number }
  | { kind: "out_of_time" };

interface Waiter {
  number: number;
  maxPauseMs: number;
  admit(): void;
  refuse(refusal: TurnRefusal): void;
}

interface Lane {
  running: number;
  limit: number;
  pausedUntil: number;
  waiting: Waiter[];
}

/**
 * Lets calls through: at most `maxConcurrency` at once; in a lane that was answered 429 fewer, and none while the
 * gateway asked to wait. The limit of a lane halves with each 429 and grows by one per round of successes (additive
 * increase, multiplicative decrease). First come, first served, but for calls whose lane is held up.
 */
export class CallGate {
  // These two are looked at from outside: what is forgotten shows nowhere else.
  private waiters = 0;
  private readonly lanes = new Map<string, Lane>();
  #running = 0;
  #count = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #maxConcurrency: number;

  /** @param maxConcurrency `Infinity` for no limit */
  constructor(maxConcurrency: number) {
    this.#maxConcurrency = maxConcurrency;
  }

  /**
   * @returns undefined when the call may start at once, else a promise of its turn, which rejects with a `TurnRefusal`.
   * Every admitted call must `leave`.
   */
  enter(turn: Turn): Promise<void> | undefined {
    const lane = this.#laneOf(turn.lane);
    if (lane.waiting.length === 0 && this.#isOpen(lane, performance.now())) {
      this.#admit(lane);
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const { signal, maxPauseMs, maxWaitMs } = turn;
      if (signal?.aborted) {
        reject({ kind: "aborted", cause: signal.reason } satisfies TurnRefusal);
        return;
      }
      let timer: ReturnType<typeof setTimeout> | undefined;
      const stop = () => {
        clearTimeout(timer);
        forget();
      };
      const waiter: Waiter = {
        number: this.#count++,
        maxPauseMs,
        admit: () => {
          stop();
          resolve();
        },
        refuse: (refusal) => {
          stop();
          this.#forget(turn.lane, lane, waiter);
          reject(refusal);
        },
      };
      const forget = onAbort(signal, () => waiter.refuse({ kind: "aborted", cause: signal?.reason }));
      if (maxWaitMs !== Number.POSITIVE_INFINITY) {
        timer = setTimeout(() => waiter.refuse({ kind: "out_of_time" }), Math.min(maxWaitMs, MAX_TIMER_MS));
      }
      lane.waiting.push(waiter);
      this.waiters++;
      this.#refuseHeldUp(lane);
      this.#admitWaiting();
    });
  }

  leave(name: string): void {
    const lane = this.#laneOf(name);
    this.#running--;
    lane.running--;
    this.#tidy(name, lane);
    if (this.waiters > 0) this.#admitWaiting();
  }

  /** A call was answered: a lowered limit recovers. */
  succeeded(name: string): void {
    const lane = this.lanes.get(name);
    if (lane === undefined || lane.limit === this.#maxConcurrency) return;
    lane.limit = Math.min(this.#maxConcurrency, lane.limit + 1 / lane.limit);
    if (lane.limit > LIMIT_LIFTED) lane.limit = this.#maxConcurrency;
  }

  /**
   * The gateway answered 429.
   * @param retryAfterMs the wait it asked for, in milliseconds
   */
  slowDown(name: string, retryAfterMs: number | undefined): void {
    const lane = this.#laneOf(name);
    lane.limit = Math.max(1, Math.floor(Math.min(lane.limit, lane.running) / 2));
    // A wait that no call would sit out holds nobody up either: each call fails and says how long it is.
    if (retryAfterMs === undefined || retryAfterMs > MAX_RETRY_AFTER_MS) return;
    lane.pausedUntil = Math.max(lane.pausedUntil, performance.now() + retryAfterMs);
    this.#refuseHeldUp(lane);
  }

  #laneOf(name: string): Lane {
    let lane = this.lanes.get(name);
    if (lane === undefined) {
      lane = { running: 0, limit: this.#maxConcurrency, pausedUntil: 0, waiting: [] };
      this.lanes.set(name, lane);
    }
    return lane;
  }

  /** A lane that holds nothing back and nobody is forgotten, so that there are no more than there are calls. */
  #tidy(name: string, lane: Lane): void {
    const idle = lane.running === 0 && lane.waiting.length === 0 && lane.limit === this.#maxConcurrency;
    if (idle && lane.pausedUntil <= performance.now()) this.lanes.delete(name);
  }

  #isOpen(lane: Lane, now: number): boolean {
    return (
      this.#running < this.#maxConcurrency && lane.running < Math.floor(lane.limit) && lane.pausedUntil <= now
    );
  }

  #admit(lane: Lane): void {
    this.#running++;
    lane.running++;
  }

  /** Calls that may not wait as long as their lane is paused are told at once. */
  #refuseHeldUp(lane: Lane): void {
    const forMs = lane.pausedUntil - performance.now();
    if (forMs <= 0) return;
    for (const waiter of lane.waiting.filter(({ maxPauseMs }) => maxPauseMs < forMs)) {
      waiter.refuse({ kind: "paused", forMs: Math.ceil(forMs) });
    }
  }

  #forget(name: string, lane: Lane, waiter: Waiter): void {
    const position = lane.waiting.indexOf(waiter);
    if (position === -1) return;
    lane.waiting.splice(position, 1);
    this.waiters--;
    this.#tidy(name, lane);
  }

  #admitWaiting(): void {
    // One look at the clock: a pause that ended between two looks would be over for one and not begun for the other, and
    // nobody would be woken.
    const now = performance.now();
    for (let lane = this.#nextLane(now); lane !== undefined; lane = this.#nextLane(now)) {
      const waiter = lane.waiting.shift() as Waiter;
      this.waiters--;
      this.#admit(lane);
      waiter.admit();
    }
    this.#armForPauses(now);
  }

  /** The open lane whose first call has waited longest. */
  #nextLane(now: number): Lane | undefined {
    if (this.waiters === 0) return undefined;
    let next: Lane | undefined;
    let first = Number.POSITIVE_INFINITY;
    for (const lane of this.lanes.values()) {
      const number = lane.waiting[0]?.number ?? Number.POSITIVE_INFINITY;
      if (number < first && this.#isOpen(lane, now)) {
        next = lane;
        first = number;
      }
    }
    return next;
  }

  #armForPauses(now: number): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.waiters === 0) return;
    let soonest = Number.POSITIVE_INFINITY;
    for (const { waiting, pausedUntil } of this.lanes.values()) {
      if (waiting.length > 0 && pausedUntil > now) soonest = Math.min(soonest, pausedUntil);
    }
    if (soonest === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => this.#admitWaiting(), Math.max(1, soonest - now));
  }
}
