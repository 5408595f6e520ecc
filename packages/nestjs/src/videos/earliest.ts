/** The least of many, of which there may be more than a call takes arguments; `Infinity` of none. */
export function earliest(times: Iterable<number>): number {
  let first = Number.POSITIVE_INFINITY;
  for (const time of times) first = Math.min(first, time);
  return first;
}
