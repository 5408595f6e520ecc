/** What one who watches has seen of a lock: it stood still for the whole lease, it moved, or it is too early to tell. */
export type LockMotion = "silent" | "moving" | "unknown";

interface Observed {
  mark: string;
  silentMs: number;
  lookedAt: number;
  hasMoved: boolean;
}

/** A step longer than this is a pause of the one who watches, and tells nothing of the owner. */
const LONGEST_STEP_MS = 1_000;

/**
 * Judges owners that cannot be asked by whether their locks move. Compares no clocks: what counts is the time that
 * was spent watching.
 */
export class LockObserver {
  private readonly locks = new Map<string, Observed>();

  /** @param now milliseconds of a clock that only goes forward */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /**
   * @param token of the lock
   * @param mark is another one after each sign of life
   */
  look(token: string, mark: string, leaseMs: number): LockMotion {
    const now = this.now();
    const before = this.locks.get(token) ?? { mark, silentMs: 0, lookedAt: now, hasMoved: false };
    const moves = before.mark !== mark;
    const silentMs = moves ? 0 : before.silentMs + Math.min(now - before.lookedAt, LONGEST_STEP_MS);
    const hasMoved = before.hasMoved || moves;
    this.locks.set(token, { mark, silentMs, lookedAt: now, hasMoved });
    if (silentMs >= leaseMs) return "silent";
    return hasMoved ? "moving" : "unknown";
  }
}
