/** What a store tells of a stream: that there may be more to read, and whether that is its end. */
export interface StreamChange {
  ended: boolean;
}

/** Tells those who wait for one stream, and nobody else. */
export class StreamChanges {
  private readonly waiting = new Map<string, Set<(change: StreamChange) => void>>();

  /** @param watched is told when the first begins to wait for a key, and when the last has gone */
  constructor(private readonly watched: (key: string, watched: boolean) => void = () => {}) {}

  /** @returns a function that takes the listener off again */
  watch(key: string, changed: (change: StreamChange) => void): () => void {
    // A function of its own: the same listener may be given twice.
    const listener = (change: StreamChange) => changed(change);
    const listeners = this.waiting.get(key) ?? new Set();
    listeners.add(listener);
    if (listeners.size === 1) {
      this.waiting.set(key, listeners);
      this.watched(key, true);
    }
    return () => {
      if (!listeners.delete(listener) || listeners.size > 0) return;
      this.waiting.delete(key);
      this.watched(key, false);
    };
  }

  tell(key: string, change: StreamChange): void {
    for (const listener of [...(this.waiting.get(key) ?? [])]) listener(change);
  }
}
