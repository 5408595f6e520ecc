/** Something to be done at a time on the clock of `performance.now()`. */
export interface TimerEntry {
  due: number;
  run: () => void;
  cancelled: boolean;
}

/** A binary heap, earliest entry first. Cancelled entries are dropped when they come up. */
export class TimerHeap {
  readonly #entries: TimerEntry[] = [];

  peek(): TimerEntry | undefined {
    while (this.#entries[0]?.cancelled) this.pop();
    return this.#entries[0];
  }

  push(entry: TimerEntry): void {
    const entries = this.#entries;
    entries.push(entry);
    let index = entries.length - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (this.#dueAt(parent) <= entry.due) break;
      this.#swap(parent, index);
      index = parent;
    }
  }

  pop(): void {
    const entries = this.#entries;
    const last = entries.pop();
    if (last === undefined || entries.length === 0) return;
    entries[0] = last;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= entries.length) return;
      if (child + 1 < entries.length && this.#dueAt(child + 1) < this.#dueAt(child)) child++;
      if (last.due <= this.#dueAt(child)) return;
      this.#swap(index, child);
      index = child;
    }
  }

  clear(): void {
    this.#entries.length = 0;
  }

  /** Makes everything due by a time; the order stays. */
  hasten(dueAtLatest: number): void {
    for (const entry of this.#entries) entry.due = Math.min(entry.due, dueAtLatest);
  }

  #dueAt(index: number): number {
    return (this.#entries[index] as TimerEntry).due;
  }

  #swap(left: number, right: number): void {
    const entry = this.#entries[left] as TimerEntry;
    this.#entries[left] = this.#entries[right] as TimerEntry;
    this.#entries[right] = entry;
  }
}
