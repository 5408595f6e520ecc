interface ScheduledEvent {
  at: number;
  order: number;
  run: () => void | Promise<void>;
}

// setTimeout treats a longer delay as zero.
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * A clock that runs with real time and can be moved. Everything in the emulator that happens "later" is
 * scheduled on it, so a test that moves the clock sees exactly what waiting would have shown.
 */
export class VirtualClock {
  private offset = 0;
  private order = 0;
  /** The moves under way or waiting for their turn. */
  private moves: Promise<void> = Promise.resolve();
  private moving = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private events: ScheduledEvent[] = [];

  /** The emulator's time in milliseconds since the epoch. */
  now(): number {
    return Date.now() + this.offset;
  }

  /** Moves the clock forward; resolves when everything that became due has run, callbacks included. */
  async advance(ms: number): Promise<void> {
    if (!Number.isFinite(ms) || ms < 0) {
      throw new RangeError(
        `clock.advance takes milliseconds of at least 0 (got ${ms}). Use clock.set to go back.`,
      );
    }
    await this.move(() => this.now() + ms);
  }

  /** Moves the clock to a point in time, forward or back; resolves when everything that became due has run. */
  async set(ms: number): Promise<void> {
    if (!Number.isFinite(ms))
      throw new RangeError(`clock.set takes milliseconds since the epoch (got ${ms}).`);
    await this.move(() => ms);
  }

  /** Runs `run` once the clock has reached `at`; returns a function that cancels it. */
  schedule(at: number, run: () => void | Promise<void>): () => void {
    const event: ScheduledEvent = { at, order: this.order++, run };
    this.events.push(event);
    this.events.sort((left, right) => left.at - right.at || left.order - right.order);
    this.arm();
    return () => {
      this.events = this.events.filter((candidate) => candidate !== event);
      this.arm();
    };
  }

  /** When the next event is due; undefined when there is none. */
  nextAt(): number | undefined {
    return this.events[0]?.at;
  }

  /** Back to real time with nothing scheduled. */
  reset(): void {
    this.offset = 0;
    this.events = [];
    this.arm();
  }

  /** Moves take turns; where each goes is settled when its turn has come. */
  private move(target: () => number): Promise<void> {
    this.moving += 1;
    const move = this.moves
      .then(() => this.stepTo(target()))
      .finally(() => {
        this.moving -= 1;
        this.arm();
      });
    this.moves = move.catch(() => undefined);
    return move;
  }

  private async stepTo(target: number): Promise<void> {
    clearTimeout(this.timer);
    for (let event = this.events[0]; event && event.at <= target; event = this.events[0]) {
      this.events.shift();
      // An event sees the time at which it was due, however far the clock jumps.
      if (event.at > this.now()) this.offset = event.at - Date.now();
      await event.run();
    }
    this.offset = target - Date.now();
  }

  private arm(): void {
    clearTimeout(this.timer);
    const next = this.events[0];
    if (!next || this.moving > 0) return;
    this.timer = setTimeout(
      () => {
        const due = this.events[0];
        if (due && due.at <= this.now()) {
          this.events.shift();
          void due.run();
        }
        this.arm();
      },
      Math.min(Math.max(next.at - this.now(), 0), LONGEST_TIMER_MS),
    );
    // A pending event alone must not keep a process alive that uses the emulator without a port.
    this.timer.unref();
  }
}
