const ids = new WeakMap<object, string>();

/** Remembers the id of an event that is about to be emitted. */
export function setEventId(event: object, id: string): void {
  ids.set(event, id);
}

/**
 * The id of an event of a stream with a key: what `from` takes, and what `chatEvents()` and `imageEvents()` send with it.
 *
 * @returns undefined for events of other streams, and for copies
 */
export function eventIdOf(event: object): string | undefined {
  return ids.get(event);
}
