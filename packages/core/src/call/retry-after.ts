import type { ResponseHeaders } from "../transport/transport.js";

/**
 * The wait an answer asks for, in milliseconds: `retry-after-ms`, or `Retry-After` in seconds or as a date.
 * @param now current time in milliseconds since the epoch
 */
export function readRetryAfter(headers: ResponseHeaders, now: number): number | undefined {
  const milliseconds = readNumber(headers.get("retry-after-ms"));
  if (milliseconds !== undefined) return milliseconds;
  const value = headers.get("retry-after");
  const seconds = readNumber(value);
  if (seconds !== undefined) return seconds * 1000;
  // Date.parse takes "-1" for a year.
  const date = value === undefined || !/[a-z]/i.test(value) ? Number.NaN : Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function readNumber(value: string | undefined): number | undefined {
  if (value === undefined || value.trim() === "") return undefined;
  const number = Number(value);
  return Number.isFinite(number) && number >= 0 ? number : undefined;
}
