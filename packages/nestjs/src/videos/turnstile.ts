/** Lets so many through at once; the others wait in order. */
export class Turnstile {
  private readonly waiting: Array<() => void> = [];
  private inside = 0;

  constructor(private readonly capacity: number) {}

  /** Does the work when it is its turn. @returns what comes of it */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.inside < this.capacity) this.inside += 1;
    else
      await new Promise<void>((resolve) => {
        this.waiting.push(resolve);
      });
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      // The place goes straight to the next one.
      if (next === undefined) this.inside -= 1;
      else next();
    }
  }
}
