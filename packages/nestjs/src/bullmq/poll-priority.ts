/** Polls that somebody asked for come before all that nobody did. Jobs without a number come before both. */
export const ASKED_PRIORITY = 1;

/** BullMQ takes no higher one. */
const MAX_PRIORITY = 2 ** 21 - 1;
const FIRST_PRIORITY = 2;
const MINUTE_MS = 60_000;
const EPOCH_MS = Date.UTC(2026, 0);

/**
 * Priority of a poll that nobody asked for: what is due in an earlier minute comes before what is due in a later one, also
 * where many wait for the rate. PostgreSQL would else serve the oldest tasks over and over, and the newest never. It begins
 * anew every four years.
 *
 * @param dueAt milliseconds since the epoch
 */
export function pollPriority(dueAt: number): number {
  const minutes = Math.max(0, Math.floor((dueAt - EPOCH_MS) / MINUTE_MS));
  return FIRST_PRIORITY + (minutes % (MAX_PRIORITY - FIRST_PRIORITY));
}
