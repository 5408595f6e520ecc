import { Observable, type Subscriber } from "rxjs";

/** Tells those who wait for one stream, and nobody else. */
export class StreamChanges {
  private readonly waiting = new Map<string, Set<Subscriber<{ ended: boolean }>>>();

  /** @param watched is told when the first begins to wait for a key, and when the last has gone */
  constructor(private readonly watched: (key: string, watched: boolean) => void = () => {}) {}

  of(key: string): Observable<{ ended: boolean }> {
    return new Observable((subscriber) => {
      const subscribers = this.waiting.get(key) ?? new Set();
      subscribers.add(subscriber);
      if (subscribers.size === 1) {
        this.waiting.set(key, subscribers);
        this.watched(key, true);
      }
      return () => {
        subscribers.delete(subscriber);
        if (subscribers.size > 0) return;
        this.waiting.delete(key);
        this.watched(key, false);
      };
    });
  }

  next(key: string, change: { ended: boolean }): void {
    for (const subscriber of this.waiting.get(key) ?? []) subscriber.next(change);
  }
}
