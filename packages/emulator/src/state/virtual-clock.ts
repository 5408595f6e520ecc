import type { Field } from "../checks/field.js";
import { collectMembers } from "../checks/read-members.js";
import type { ChangeLog, PartChanges } from "../persistence/change-log.js";
import type { KeptEntry } from "../persistence/kept-entry.js";
import type { KeptStore } from "../persistence/kept-store.js";
import { loadPart } from "../persistence/load-part.js";

interface ScheduledEvent {
  at: number;
  order: number;
  run: () => void | Promise<void>;
}

// setTimeout treats a longer delay as zero.
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** The last point in time that a date can hold. */
const END_OF_TIME_MS = 8_640_000_000_000_000;
const PART = "clock";

/**
 * A clock that runs with real time and can be moved. Everything in the emulator that happens "later" is
 * scheduled on it, so a test that moves the clock sees exactly what waiting would have shown.
 */
export class VirtualClock implements KeptStore {
  private offset = 0;
  private order = 0;
  /** The moves under way or waiting for their turn. */
  private moves: Promise<void> = Promise.resolve();
  private moving = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private events: ScheduledEvent[] = [];
  private closed = false;
  /** Where it stands still while what is late begins. */
  private stopped: number | undefined;
  private readonly changes: PartChanges | undefined;

  constructor(changes?: ChangeLog) {
    this.changes = changes?.of(PART);
  }

  /** The emulator's time in milliseconds since the epoch. */
  now(): number {
    return this.stopped ?? Date.now() + this.offset;
  }

  /** Moves the clock forward; resolves when everything that became due has run, callbacks included. */
  async advance(ms: number): Promise<void> {
    if (!(ms >= 0 && this.now() + ms <= END_OF_TIME_MS)) {
      throw new RangeError(
        `clock.advance takes milliseconds of at least 0, to no later than a date can be (got ${ms}). Use clock.set to go back.`,
      );
    }
    await this.move(() => this.now() + ms);
  }

  /** Moves the clock to a point in time, forward or back; resolves when everything that became due has run. */
  async set(ms: number): Promise<void> {
    if (!(Math.abs(ms) <= END_OF_TIME_MS)) {
      throw new RangeError(
        `clock.set takes milliseconds since the epoch, of a date that can be (got ${ms}).`,
      );
    }
    await this.move(() => ms);
  }

  /** Runs `run` once the clock has reached `at`; returns a function that cancels it. */
  schedule(at: number, run: () => void | Promise<void>): () => void {
    if (this.closed) return () => undefined;
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

  /** Begins what became due while nobody ran it, each at its own time. */
  catchUp(): void {
    const now = this.now();
    for (let event = this.events[0]; event && event.at <= now; event = this.events[0]) {
      this.events.shift();
      this.stopped = event.at;
      void event.run();
    }
    this.stopped = undefined;
    this.arm();
  }

  /** Nothing happens by itself any more, and nothing can be scheduled. */
  close(): void {
    this.closed = true;
    this.events = [];
    this.arm();
  }

  /** How far it is from real time: what is kept goes on by the time that passes meanwhile. */
  *save(): Iterable<KeptEntry> {
    yield { part: PART, key: PART, value: this.saved() };
  }

  load(state: Field): void {
    const read = (entry: Field) =>
      collectMembers<{ aheadMs: number }>(
        entry,
        { aheadMs: (field) => field.number({ min: -2 * END_OF_TIME_MS, max: END_OF_TIME_MS }) },
        { vital: ["aheadMs"], complete: true },
      );
    loadPart(state, PART, read, ({ aheadMs = 0 }) => {
      this.offset = aheadMs;
    });
  }

  private saved(): { aheadMs: number } {
    return { aheadMs: this.offset };
  }

  private moveTo(time: number): void {
    this.offset = time - Date.now();
    this.changes?.set(PART, () => this.saved());
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
      if (event.at > this.now()) this.moveTo(event.at);
      await event.run();
    }
    this.moveTo(target);
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
