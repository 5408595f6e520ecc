/** Days are the instants in milliseconds at which they begin in UTC; weekdays count from Monday, 0. */
export const DAY = 86_400_000;
export const MINUTE = 60_000;

/** The day of an instant. */
export function dayAt(instant: number): number {
  return Math.floor(instant / DAY) * DAY;
}

/** The day of a date; undefined for one that no calendar has. */
export function dayOfDate(year: number, month: number, day: number): number | undefined {
  const instant = Date.UTC(year, month - 1, day);
  const date = new Date(instant);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day && year >= 100 ? instant : undefined;
}

/** The date of a day as `YYYY-MM-DD`. */
export function writeDay(day: number): string {
  return new Date(day).toISOString().slice(0, 10);
}

export function weekdayOf(day: number): number {
  return (new Date(day).getUTCDay() + 6) % 7;
}

/** The first such weekday after a day. */
export function comingWeekday(day: number, weekday: number): number {
  return day + (((weekday - weekdayOf(day) + 6) % 7) + 1) * DAY;
}

/** Such a weekday in a week that comes so many weeks after that of a day. */
export function weekdayInWeek(day: number, weekday: number, weeks: number): number {
  return day + (weekday - weekdayOf(day) + 7 * weeks) * DAY;
}

/** The same day of the month so many months later; the last one where that month is shorter. */
export function addMonths(day: number, months: number): number {
  const date = new Date(day);
  const first = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
  return Math.min(first + (date.getUTCDate() - 1) * DAY, endOfMonth(first));
}

export function startOfMonth(day: number): number {
  return day - (new Date(day).getUTCDate() - 1) * DAY;
}

export function endOfMonth(day: number): number {
  const date = new Date(day);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0);
}

/** The next time a date without a year comes, today included. */
export function comingDate(today: number, month: number, day: number): number | undefined {
  const year = new Date(today).getUTCFullYear();
  // A leap day may be years ahead.
  for (let ahead = 0; ahead <= 8; ahead++) {
    const found = dayOfDate(year + ahead, month, day);
    if (found !== undefined && found >= today) return found;
  }
  return undefined;
}

/** The next time a day of the month comes, today included. */
export function comingDayOfMonth(today: number, day: number): number | undefined {
  for (let ahead = 0; ahead <= 2; ahead++) {
    const first = addMonths(startOfMonth(today), ahead);
    const found = first + (day - 1) * DAY;
    if (day >= 1 && found >= today && found <= endOfMonth(first)) return found;
  }
  return undefined;
}
