/** Before all that have a number: SOON jobs have none. Then polls that somebody asked for. */
export const ASKED_PRIORITY = 1;

/** BullMQ takes no higher one. */
const MAX_PRIORITY = 2 ** 21 - 1;
const FIRST_PRIORITY = 2;

/**
 * Priority of a poll that nobody asked for: that which is due first comes first, also among those that wait for the rate.
 * PostgreSQL would else serve the oldest tasks over and over, and the newest never. In seconds, from the beginning about
 * every 24 days: what is due around then comes out of order, once.
 *
 * @param dueAt milliseconds since the epoch
 */
export function pollPriority(dueAt: number): number {
  return FIRST_PRIORITY + (Math.floor(dueAt / 1_000) % (MAX_PRIORITY - FIRST_PRIORITY));
}
