/** Where a reader stands: after event `number` of the call `run`. */
export interface EventPosition {
  run: string;
  number: number;
}

/** What a reader has that knows to come back, and got nothing yet. */
export const NO_EVENT_ID = "0";

export function formatEventId({ run, number }: EventPosition): string {
  return `${run}-${number}`;
}

/** @returns undefined for what is no id of ours */
export function parseEventId(id: string): EventPosition | undefined {
  const [, run, number] = /^([0-9a-f]{1,32})-(\d{1,12})$/.exec(id) ?? [];
  return run === undefined ? undefined : { run, number: Number(number) };
}

/** @returns undefined after what is no id of ours */
export function followingEventId(id: string): string | undefined {
  const position = parseEventId(id);
  return position && formatEventId({ run: position.run, number: position.number + 1 });
}
