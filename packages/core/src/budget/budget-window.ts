/** How long a limit holds before it holds anew: a day or a month in UTC, or so many milliseconds. */
export type BudgetWindow = "day" | "month" | { ms: number };

/** One window, with its times in milliseconds since the epoch. */
export interface CurrentWindow {
  /** Names it among those of its length. */
  id: string;
  startsAt: number;
  endsAt: number;
}

/** The window that a time is in. Those of so many milliseconds follow each other from the epoch on. */
export function windowAt(window: BudgetWindow, now: number): CurrentWindow {
  if (typeof window === "object") {
    const { ms } = window;
    const index = Math.floor(now / ms);
    return { id: `${ms}ms-${index}`, startsAt: index * ms, endsAt: (index + 1) * ms };
  }
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const [startsAt, endsAt] =
    window === "day"
      ? [Date.UTC(year, month, day), Date.UTC(year, month, day + 1)]
      : [Date.UTC(year, month), Date.UTC(year, month + 1)];
  return { id: date.toISOString().slice(0, window === "day" ? 10 : 7), startsAt, endsAt };
}
