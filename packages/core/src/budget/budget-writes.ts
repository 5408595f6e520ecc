type Write = () => unknown;

/** Writes what calls have come to. No call waits for it; what the store does not take is tried again. */
export class BudgetWrites {
  readonly #underWay = new Set<Promise<void>>();
  readonly #refused = new Map<string, Write>();

  /** @param onRefused told once for each reservation, with what the store failed with */
  constructor(private readonly onRefused: (id: string, cause: unknown) => void) {}

  /** Whether something may become known that is not written yet. */
  get isIdle(): boolean {
    return this.#underWay.size === 0;
  }

  /** @param write of a store: may throw, or reject */
  run(id: string, write: Write): void {
    let answer: unknown;
    try {
      answer = write();
    } catch (cause) {
      this.#refuse(id, write, cause);
      return;
    }
    if (!(answer instanceof Promise)) {
      this.#refused.delete(id);
      return;
    }
    const written: Promise<void> = answer
      .then(
        () => void this.#refused.delete(id),
        (cause: unknown) => this.#refuse(id, write, cause),
      )
      .finally(() => this.#underWay.delete(written));
    this.#underWay.add(written);
  }

  /** Resolves when what is under way now is over. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  /** Tries again what the store did not take, once. */
  async tryAgain(): Promise<void> {
    for (const [id, write] of [...this.#refused]) this.run(id, write);
    await this.settled();
  }

  #refuse(id: string, write: Write, cause: unknown): void {
    const isKnown = this.#refused.has(id);
    this.#refused.set(id, write);
    if (!isKnown) this.onRefused(id, cause);
  }
}
