/** Where a reader stands: after event `number` of the call `run`. */
export interface StreamPosition {
  run: string;
  number: number;
}

const ids = new WeakMap<object, string>();

/** Remembers the id of an event that is about to be emitted. */
export function setEventId(event: object, { run, number }: StreamPosition): void {
  ids.set(event, formatEventId({ run, number }));
}

/**
 * The id of an event of a stream with a key: what `from` takes, and what `chatEvents()` and `imageEvents()` send with it.
 *
 * @returns undefined for events of other streams, and for copies
 */
export function eventIdOf(event: object): string | undefined {
  return ids.get(event);
}

export function formatEventId({ run, number }: StreamPosition): string {
  return `${run}-${number}`;
}

/** @returns undefined for what is no id of ours */
export function parseEventId(id: string): StreamPosition | undefined {
  const [, run, number] = /^([0-9a-f]{1,32})-(\d{1,12})$/.exec(id) ?? [];
  return run === undefined ? undefined : { run, number: Number(number) };
}

/** @returns undefined after what is no id of ours */
export function followingEventId(id: string): string | undefined {
  const position = parseEventId(id);
  return position && formatEventId({ run: position.run, number: position.number + 1 });
}
