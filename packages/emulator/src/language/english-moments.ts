import {
  addMonths,
  comingDate,
  comingDayOfMonth,
  comingWeekday,
  DAY,
  dayAt,
  dayOfDate,
  endOfMonth,
  MINUTE,
  startOfMonth,
  weekdayInWeek,
} from "./calendar.js";
import { type DayPart, holidayRule, type MomentRule, minutesOf, words } from "./moment-rule.js";
import { readNumber } from "./number-words.js";

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH =
  "(?<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?";
const YEAR = "(?:,? (?<year>\\d{4}))?";
const ORDINAL = "(?:st|nd|rd|th)?";
const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const WEEKDAY = `(?<weekday>${WEEKDAYS.join("|")})`;
const COUNT =
  "(?<count>\\d{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fourteen|fifteen|twenty|thirty|a couple of|a few)";
const HOUR_WORD = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve";
const DAYS: Readonly<Record<string, number>> = {
  "day before yesterday": -2,
  yesterday: -1,
  today: 0,
  tonight: 0,
  tomorrow: 1,
  tmrw: 1,
  "day after tomorrow": 2,
};
const HOLIDAYS: readonly (readonly [name: string, month: number, day: number])[] = [
  ["new year['’]s eve", 12, 31],
  ["new year['’]s day", 1, 1],
  ["christmas eve", 12, 24],
  ["christmas(?: day)?(?! (?:eve|day))", 12, 25],
  ["valentine['’]s day", 2, 14],
  ["halloween", 10, 31],
];

function dateOf(
  { month = "", day = "", year }: Readonly<Record<string, string | undefined>>,
  now: number,
): { day: number } | undefined {
  // "You may 5 times" is no date.
  if (month === "may") return undefined;
  const number = MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1;
  const found =
    year === undefined
      ? comingDate(dayAt(now), number, Number(day))
      : dayOfDate(Number(year), number, Number(day));
  return found === undefined ? undefined : { day: found };
}

function countOf(text = ""): number {
  if (/couple/i.test(text)) return 2;
  return /few/i.test(text) ? 3 : (readNumber(text) ?? 1);
}

function later(
  { count, unit = "" }: Readonly<Record<string, string | undefined>>,
  now: number,
  sign: 1 | -1 = 1,
) {
  const amount = sign * countOf(count);
  const today = dayAt(now);
  switch (unit.toLowerCase().replace(/s$/, "")) {
    case "day":
      return { day: today + amount * DAY };
    case "week":
      return { day: today + 7 * amount * DAY };
    case "fortnight":
      return { day: today + 14 * amount * DAY };
    case "month":
      return { day: addMonths(today, amount) };
    case "year":
      return { day: addMonths(today, 12 * amount) };
    default:
      return at(now + amount * (/^h/i.test(unit) ? 60 : 1) * MINUTE);
  }
}

function at(instant: number) {
  return { day: dayAt(instant), minutes: Math.floor((instant - dayAt(instant)) / MINUTE) };
}

const UNIT = "(?<unit>minutes?|mins?|hours?|days?|weeks?|fortnights?|months?|years?)";

/** How English speaks of days and times. */
export const ENGLISH_MOMENTS: readonly MomentRule[] = [
  {
    pattern: words(`(?:the )?(?<word>${Object.keys(DAYS).join("|")})`),
    read: ({ word = "" }, now) => ({
      day: dayAt(now) + (DAYS[word.toLowerCase()] ?? 0) * DAY,
      ...(/tonight/i.test(word) && { part: "evening" as const }),
    }),
    examples: { tomorrow: "2026-03-03", "the day after tomorrow": "2026-03-04", yesterday: "2026-03-01" },
  },
  {
    pattern: words(
      `in (?:about )?${COUNT} ${UNIT}|${COUNT.replace("count", "count2")} ${UNIT.replace("unit", "unit2")} (?:from (?:now|today)|later)`,
    ),
    read: ({ count, unit, count2, unit2 }, now) =>
      later({ count: count ?? count2, unit: unit ?? unit2 }, now),
    examples: {
      "in three days": "2026-03-05",
      "in 2 weeks": "2026-03-16",
      "a week from now": "2026-03-09",
      "in a month": "2026-04-02",
      "in two hours": "2026-03-02T11:00",
      "in 45 minutes": "2026-03-02T09:45",
    },
  },
  {
    pattern: words("in half an hour|half an hour from now"),
    read: (_, now) => at(now + 30 * MINUTE),
    examples: { "in half an hour": "2026-03-02T09:30" },
  },
  {
    pattern: words("in an hour and a half"),
    read: (_, now) => at(now + 90 * MINUTE),
    examples: { "in an hour and a half": "2026-03-02T10:30" },
  },
  {
    pattern: words(`${COUNT} ${UNIT} ago`),
    read: (groups, now) => later(groups, now, -1),
    examples: { "three weeks ago": "2026-02-09", "2 days ago": "2026-02-28" },
  },
  {
    pattern: words(`(?:(?<which>next|this|coming|last|past) )?${WEEKDAY}`),
    read: ({ which = "", weekday = "" }, now) => {
      const today = dayAt(now);
      const wanted = WEEKDAYS.indexOf(weekday.toLowerCase());
      if (/last|past/i.test(which)) return { day: comingWeekday(today - 8 * DAY, wanted) };
      if (/next/i.test(which)) return { day: weekdayInWeek(today, wanted, 1) };
      return { day: comingWeekday(/this/i.test(which) ? today - DAY : today, wanted) };
    },
    examples: {
      "on Friday": "2026-03-06",
      Monday: "2026-03-09",
      "this Monday": "2026-03-02",
      "next Monday": "2026-03-09",
      "next Friday": "2026-03-13",
      "last Monday": "2026-02-23",
      "last Friday": "2026-02-27",
    },
  },
  {
    pattern: words(`${WEEKDAY} (?:in )?a week|a week (?:on|from) ${WEEKDAY.replace("weekday", "weekday2")}`),
    read: ({ weekday, weekday2 }, now) => {
      const wanted = WEEKDAYS.indexOf((weekday ?? weekday2 ?? "").toLowerCase());
      return { day: comingWeekday(dayAt(now), wanted) + 7 * DAY };
    },
    examples: { "a week from Friday": "2026-03-13" },
  },
  {
    pattern: words("(?<which>next|last) (?<unit>week|month|year)"),
    read: ({ which = "", unit }, now) => later({ count: "1", unit }, now, /next/i.test(which) ? 1 : -1),
    examples: { "next week": "2026-03-09", "next month": "2026-04-02", "last year": "2025-03-02" },
  },
  {
    pattern: words("(?:the )?end of (?:the |this )?(?<which>next )?(?<unit>week|month|year)"),
    read: ({ which, unit = "" }, now) => {
      const today = dayAt(now);
      const ahead = which === undefined ? 0 : 1;
      if (/week/i.test(unit)) return { day: weekdayInWeek(today, 4, ahead) };
      if (/month/i.test(unit)) return { day: endOfMonth(addMonths(startOfMonth(today), ahead)) };
      return { day: Date.UTC(new Date(today).getUTCFullYear() + ahead, 11, 31) };
    },
    examples: {
      "by the end of the month": "2026-03-31",
      "end of next month": "2026-04-30",
      "end of the week": "2026-03-06",
      "end of the year": "2026-12-31",
    },
  },
  {
    pattern: words("(?:the )?beginning of next month|first of next month"),
    read: (_, now) => ({ day: addMonths(startOfMonth(dayAt(now)), 1) }),
    examples: { "at the beginning of next month": "2026-04-01" },
  },
  {
    pattern: words("(?:(?<which>next|this|the) )weekend"),
    read: ({ which = "" }, now) => ({ day: weekdayInWeek(dayAt(now), 5, /next/i.test(which) ? 1 : 0) }),
    examples: { "this weekend": "2026-03-07", "next weekend": "2026-03-14" },
  },
  {
    pattern: words(`${MONTH} (?<day>\\d{1,2})${ORDINAL}${YEAR}`),
    read: dateOf,
    examples: {
      "March 12, 2026": "2026-03-12",
      "Dec 24": "2026-12-24",
      "January 5th": "2027-01-05",
      "Sept. 3": "2026-09-03",
    },
  },
  {
    pattern: words(`(?<day>\\d{1,2})${ORDINAL}(?: of)? ${MONTH}${YEAR}`),
    read: dateOf,
    examples: { "12 May": "2026-05-12", "3rd of June 2027": "2027-06-03" },
  },
  {
    pattern: words(
      `(?<day>\\d{1,2})${ORDINAL}(?= ?(?:-|–|to|until|through) ?\\d{1,2}${ORDINAL}(?: of)? ${MONTH}${YEAR})`,
    ),
    read: dateOf,
    examples: { "from 3 to 7 May": "2026-05-03 2026-05-07" },
  },
  {
    pattern: new RegExp(
      `(?<=\\b${MONTH} \\d{1,2}${ORDINAL} ?(?:-|–|to|until|through) ?)(?<day>\\d{1,2})${ORDINAL}${YEAR}(?![\\p{L}\\p{N}])`,
      "giu",
    ),
    read: dateOf,
    examples: { "May 3 to 7": "2026-05-03 2026-05-07", "May 3-7, 2027": "2026-05-03 2027-05-07" },
  },
  {
    pattern: words(
      "the (?<day>\\d{1,2})(?:st|nd|rd|th)(?! (?:floor|time|birthday|century|place|anniversary|grade|edition))",
    ),
    read: ({ day }, now) => {
      const found = comingDayOfMonth(dayAt(now), Number(day));
      return found === undefined ? undefined : { day: found, dayOfMonth: Number(day) };
    },
    examples: { "on the 15th": "2026-03-15", "the 1st": "2026-04-01" },
  },
  {
    pattern: /(?<![\d/.-])(?<first>\d{1,2})\/(?<second>\d{1,2})\/(?<year>\d{4})(?![\d/-])/giu,
    read: ({ first, second, year }) => {
      const [month, day] = Number(first) > 12 ? [second, first] : [first, second];
      const found = dayOfDate(Number(year), Number(month), Number(day));
      return found === undefined ? undefined : { day: found };
    },
    examples: { "3/15/2026": "2026-03-15", "15/3/2026": "2026-03-15" },
  },
  ...HOLIDAYS.map(([name, month, day]) => holidayRule(words(name), month, day)),
  {
    pattern:
      /(?<![\p{L}\d:.])(?<hour>[01]?\d|2[0-3]):(?<minute>[0-5]\d)(?::[0-5]\d)? ?(?<half>[ap]\.?m\b\.?)?(?![\d:])/giu,
    read: readClock,
    examples: { "at 8:30 pm": "20:30", "19:00": "19:00", "9:05": "09:05", "12:15 am": "00:15" },
  },
  {
    pattern: /(?<![\p{L}\d:.])(?<hour>1[0-2]|0?\d)(?:\.(?<minute>[0-5]\d))? ?(?<half>[ap]\.?m\b)/giu,
    read: readClock,
    examples: { "at 7pm": "19:00", "9 a.m": "09:00", "12 pm": "12:00", "12am": "00:00" },
  },
  {
    pattern: words(
      `(?<=\\bat )(?<hour>1[0-2]|\\d|${HOUR_WORD})(?= (?:today|tomorrow|tonight|on|in the|sharp)\\b|[,.!?;]|$)|(?<hour2>1[0-2]|\\d|${HOUR_WORD}) o['’]clock`,
    ),
    read: ({ hour, hour2 }) => ({ minutes: minutesOf(readNumber(hour ?? hour2 ?? "") ?? 0) }),
    examples: { "at 7": "07:00", "at seven tomorrow": "2026-03-03T07:00", "8 o'clock": "08:00" },
  },
  {
    pattern: words(
      `half past (?<half>${HOUR_WORD})|quarter past (?<past>${HOUR_WORD})|quarter to (?<to>${HOUR_WORD})`,
    ),
    read: ({ half, past, to }) => {
      const hour = readNumber(half ?? past ?? to ?? "") ?? 0;
      const shift = half !== undefined ? 30 : past !== undefined ? 15 : -15;
      return { minutes: hour * 60 + shift };
    },
    examples: { "half past seven": "07:30", "quarter to nine in the evening": "20:45" },
  },
  {
    pattern: words("(?:at )?(?<noon>noon|midday)|(?:at )?midnight"),
    read: ({ noon }) => ({ minutes: noon === undefined ? 0 : 12 * 60 }),
    examples: { "at noon": "12:00", "tomorrow at midnight": "2026-03-03T00:00" },
  },
  {
    pattern: words("(?<!\\bgood )(?:in the |this |at )?(?<part>morning|afternoon|evening|night)"),
    read: ({ part = "" }) => ({ part: part.toLowerCase() as DayPart }),
    examples: {
      "tomorrow at 8 in the evening": "2026-03-03T20:00",
      "tomorrow evening": "2026-03-03T19:00",
      "Friday morning at 9": "2026-03-06T09:00",
    },
  },
];

function readClock({ hour, minute, half }: Readonly<Record<string, string | undefined>>) {
  const number = Number(hour);
  const base = half === undefined ? number : (number % 12) + (/^p/i.test(half) ? 12 : 0);
  const minutes = minutesOf(base, Number(minute ?? 0));
  return minutes === undefined ? undefined : { minutes };
}
