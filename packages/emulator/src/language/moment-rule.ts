import { comingDate, dayAt } from "./calendar.js";

/** A part of the day, which tells 7 in the evening from 7 in the morning. */
export type DayPart = "morning" | "noon" | "afternoon" | "evening" | "night";

/** What words say of a moment. */
export interface SaidMoment {
  /** A day, as the instant at which it begins in UTC. */
  day?: number;
  /** Minutes since midnight; without a part of the day they stand as they are. */
  minutes?: number;
  part?: DayPart;
  /** The day of a month that is not named: after a day that was spoken of before, it comes after that. */
  dayOfMonth?: number;
}

/** A way in which a language speaks of days or times. */
export interface MomentRule {
  /** Global, with the flags `i` and `u`, and linear in the length of the text. */
  pattern: RegExp;
  /** What a match says; undefined where it is none, like the 31st of February. */
  read(groups: Readonly<Record<string, string | undefined>>, now: number): SaidMoment | undefined;
  /** Texts, and the moment that each speaks of on Monday, 2 March 2026, 09:00 UTC. */
  examples: Readonly<Record<string, string>>;
}

/** A pattern of whole words, whatever letters their language has. */
export function words(source: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${source})(?![\\p{L}\\p{N}])`, "giu");
}

export function minutesOf(hour: number, minute = 0): number | undefined {
  return hour <= 24 && minute < 60 ? (hour % 24) * 60 + minute : undefined;
}

/** A rule for days that are the same each year. @param name a pattern of what the day is called */
export function holidayRule(name: RegExp, month: number, day: number): MomentRule {
  return {
    pattern: name,
    read: (_, now) => {
      const found = comingDate(dayAt(now), month, day);
      return found === undefined ? undefined : { day: found };
    },
    examples: {},
  };
}
