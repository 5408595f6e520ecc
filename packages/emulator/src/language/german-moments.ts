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

const MONTHS = ["jan", "feb", "mär", "apr", "mai", "jun", "jul", "aug", "sep", "okt", "nov", "dez"];
const MONTH =
  "(?<month>jan(?:uar|\\.)?|jänner|feb(?:ruar|\\.)?|märz|maerz|apr(?:il|\\.)?|mai|juni?|juli?|aug(?:ust|\\.)?|sept?(?:ember|\\.)?|okt(?:ober|\\.)?|nov(?:ember|\\.)?|dez(?:ember|\\.)?)";
const WEEKDAYS = ["montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag"];
const WEEKDAY = `(?<weekday>${WEEKDAYS.join("|")}|sonnabend)`;
const COUNT =
  "(?<count>\\d{1,4}|ein(?:e[mnrs]?)?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|vierzehn|fünfzehn|zwanzig|dreißig|vierzig|fünfundvierzig|neunzig)";
const UNIT = "(?<unit>minuten?|stunden?|tag(?:en?)?|wochen?|monat(?:en?)?|jahr(?:en?)?)";
const HOUR_WORD = "ein|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf";
const DAYS: Readonly<Record<string, number>> = {
  vorgestern: -2,
  gestern: -1,
  heute: 0,
  morgen: 1,
  übermorgen: 2,
};
const PARTS: readonly (readonly [pattern: RegExp, part: DayPart])[] = [
  [/vormittag|früh|morgen/i, "morning"],
  [/nachmittag/i, "afternoon"],
  [/mittag/i, "noon"],
  [/abend/i, "evening"],
  [/nacht/i, "night"],
];
const PART = "(?<part>vormittags?|nachmittags?|mittags?|abends?|nachts?|früh)";
const HOLIDAYS: readonly (readonly [name: string, month: number, day: number])[] = [
  ["heiligabend|heilig abend", 12, 24],
  ["weihnachten", 12, 25],
  ["silvester", 12, 31],
  ["neujahr", 1, 1],
];

type Groups = Readonly<Record<string, string | undefined>>;

function partOf(text: string | undefined): { part?: DayPart } {
  const found = text === undefined ? undefined : PARTS.find(([pattern]) => pattern.test(text));
  return found === undefined ? {} : { part: found[1] };
}

function dateOf({ month = "", number, day, year }: Groups, now: number): { day: number } | undefined {
  const name = month.toLowerCase().replace("maerz", "märz").replace("jänner", "jan").slice(0, 3);
  const which = number === undefined ? MONTHS.indexOf(name) + 1 : Number(number);
  const found =
    year === undefined
      ? comingDate(dayAt(now), which, Number(day))
      : dayOfDate(Number(year.length === 2 ? `20${year}` : year), which, Number(day));
  return found === undefined ? undefined : { day: found };
}

function at(instant: number) {
  return { day: dayAt(instant), minutes: Math.floor((instant - dayAt(instant)) / MINUTE) };
}

function later({ count = "", unit = "" }: Groups, now: number, sign: 1 | -1 = 1) {
  const amount = sign * (readNumber(count) ?? 1);
  const today = dayAt(now);
  const name = unit.toLowerCase();
  if (name.startsWith("tag")) return { day: today + amount * DAY };
  if (name.startsWith("woche")) return { day: today + 7 * amount * DAY };
  if (name.startsWith("monat")) return { day: addMonths(today, amount) };
  if (name.startsWith("jahr")) return { day: addMonths(today, 12 * amount) };
  return at(now + amount * (name.startsWith("stunde") ? 60 : 1) * MINUTE);
}

/** How German speaks of days and times. */
export const GERMAN_MOMENTS: readonly MomentRule[] = [
  {
    // "Am Morgen" and "guten Morgen" speak of a part of the day.
    pattern: words(`(?<!\\b(?:am|guten|jeden|diesen) )(?<word>${Object.keys(DAYS).join("|")})(?: ${PART})?`),
    read: ({ word = "", part }, now) => ({
      day: dayAt(now) + (DAYS[word.toLowerCase()] ?? 0) * DAY,
      ...partOf(part),
    }),
    examples: {
      morgen: "2026-03-03",
      "übermorgen um 19 Uhr": "2026-03-04T19:00",
      "heute Abend um acht": "2026-03-02T20:00",
      "morgen früh": "2026-03-03T09:00",
      vorgestern: "2026-02-28",
    },
  },
  {
    pattern: words(`in ${COUNT} ${UNIT}`),
    read: (groups, now) => later(groups, now),
    examples: {
      "in 3 Tagen": "2026-03-05",
      "in zwei Wochen": "2026-03-16",
      "in einem Monat": "2026-04-02",
      "in zwei Stunden": "2026-03-02T11:00",
      "in 45 Minuten": "2026-03-02T09:45",
    },
  },
  {
    pattern: words("in einer halben stunde"),
    read: (_, now) => at(now + 30 * MINUTE),
    examples: { "in einer halben Stunde": "2026-03-02T09:30" },
  },
  {
    pattern: words("in (?:anderthalb|eineinhalb) stunden"),
    read: (_, now) => at(now + 90 * MINUTE),
    examples: { "in anderthalb Stunden": "2026-03-02T10:30" },
  },
  {
    pattern: words(`vor ${COUNT} ${UNIT}`),
    read: (groups, now) => later(groups, now, -1),
    examples: { "vor zwei Wochen": "2026-02-16", "vor 3 Tagen": "2026-02-27" },
  },
  {
    pattern: words(
      `(?:(?<which>nächste[nmrs]?|kommende[nmrs]?|diese[nmrs]?|letzte[nmrs]?|vergangene[nmrs]?|vorige[nmrs]?) )?${WEEKDAY}(?: ?${PART})?`,
    ),
    read: ({ which = "", weekday = "", part }, now) => {
      const today = dayAt(now);
      const name = weekday.toLowerCase();
      const wanted = name === "sonnabend" ? 5 : WEEKDAYS.indexOf(name);
      if (/^(?:letzt|vergang|vorig)/i.test(which))
        return { day: comingWeekday(today - 8 * DAY, wanted), ...partOf(part) };
      if (/^nächst/i.test(which)) return { day: weekdayInWeek(today, wanted, 1), ...partOf(part) };
      return { day: comingWeekday(/^diese/i.test(which) ? today - DAY : today, wanted), ...partOf(part) };
    },
    examples: {
      "am Freitag": "2026-03-06",
      "nächsten Montag": "2026-03-09",
      "kommenden Samstag": "2026-03-07",
      "letzten Montag": "2026-02-23",
      "am Dienstagabend": "2026-03-03T19:00",
      "Freitag Nachmittag um 3 Uhr": "2026-03-06T15:00",
    },
  },
  {
    pattern: words(`(?:heute|morgen|${WEEKDAY}) in (?:einer woche|acht tagen)`),
    read: ({ weekday }, now) => ({
      day:
        7 * DAY +
        (weekday === undefined
          ? dayAt(now)
          : comingWeekday(dayAt(now), WEEKDAYS.indexOf(weekday.toLowerCase()))),
    }),
    examples: { "Freitag in einer Woche": "2026-03-13", "heute in einer Woche": "2026-03-09" },
  },
  {
    pattern: words(
      "(?<which>nächste[nmrs]?|kommende[nmrs]?|letzte[nmrs]?) (?<unit>woche|monats?|jahr(?:es)?)",
    ),
    read: ({ which = "", unit }, now) =>
      later({ count: "1", unit: unit?.replace(/(?:e?s)$/, "") }, now, /^letzt/i.test(which) ? -1 : 1),
    examples: { "nächste Woche": "2026-03-09", "nächsten Monat": "2026-04-02", "letztes Jahr": "2025-03-02" },
  },
  {
    pattern: words(
      "(?<edge>ende|anfang) (?:(?:des|der|dieses|dieser) )?(?<which>nächste[nmrs]?|kommende[nmrs]?)? ?(?<unit>woche|monats|jahres)",
    ),
    read: ({ edge = "", which, unit = "" }, now) => {
      const today = dayAt(now);
      const ahead = which === undefined ? 0 : 1;
      const ends = /ende/i.test(edge);
      if (/woche/i.test(unit)) return { day: weekdayInWeek(today, ends ? 4 : 0, ahead) };
      const month = addMonths(startOfMonth(today), ahead);
      if (/monat/i.test(unit)) return { day: ends ? endOfMonth(month) : month };
      const year = new Date(today).getUTCFullYear() + ahead;
      return { day: ends ? Date.UTC(year, 11, 31) : Date.UTC(year, 0, 1) };
    },
    examples: {
      "Ende des Monats": "2026-03-31",
      "Anfang nächsten Monats": "2026-04-01",
      "bis Ende der Woche": "2026-03-06",
      "Ende des Jahres": "2026-12-31",
    },
  },
  {
    pattern: words("(?:(?<which>nächste[nms]?|am|dieses|kommende[ns]?) )wochenende"),
    read: ({ which = "" }, now) => ({ day: weekdayInWeek(dayAt(now), 5, /^nächst/i.test(which) ? 1 : 0) }),
    examples: { "am Wochenende": "2026-03-07", "nächstes Wochenende": "2026-03-14" },
  },
  {
    pattern: words(`(?<day>\\d{1,2})\\. ?${MONTH}(?: (?<year>\\d{4}))?`),
    read: dateOf,
    examples: {
      "3. Februar 2026": "2026-02-03",
      "am 24. Dezember": "2026-12-24",
      "12. Mai": "2026-05-12",
      "5. März": "2026-03-05",
    },
  },
  {
    pattern: words(
      `(?<day>\\d{1,2})\\.?(?= ?(?:bis|-|–|und) ?(?:zum )?\\d{1,2}\\. ?${MONTH}(?: (?<year>\\d{4}))?)`,
    ),
    read: dateOf,
    examples: {
      "vom 3. bis 7. Mai": "2026-05-03 2026-05-07",
      "vom 3. bis zum 7. Mai 2027": "2027-05-03 2027-05-07",
    },
  },
  {
    pattern:
      /(?<![\p{L}\d.])(?<day>\d{1,2})\. ?(?<number>\d{1,2})\. ?(?<year>\d{4}|\d{2}(?![\d:.]))(?!\d)/giu,
    read: dateOf,
    examples: { "am 24.12.2026": "2026-12-24", "1.4.26": "2026-04-01" },
  },
  {
    // "Version 4.2." is no date: without a year there has to be a word that goes with dates.
    pattern:
      /(?<=\b(?:am|vom|zum|bis|ab|den|dem|seit|für den|und|-|–) ?)(?<day>\d{1,2})\. ?(?<number>\d{1,2})\.(?! ?\d{2})/giu,
    read: dateOf,
    examples: { "am 24.12.": "2026-12-24", "vom 1.4. bis 5.4.": "2026-04-01 2026-04-05" },
  },
  {
    pattern: words(
      "(?<=\\b(?:am|zum|bis|ab|vom) )(?<day>\\d{1,2})\\.(?= ?(?:$|[,;!?]|um |an |in |für |nach ))",
    ),
    read: ({ day }, now) => {
      const found = comingDayOfMonth(dayAt(now), Number(day));
      return found === undefined ? undefined : { day: found, dayOfMonth: Number(day) };
    },
    examples: { "am 15. um 10 Uhr": "2026-03-15T10:00", "bis zum 20.": "2026-03-20" },
  },
  ...HOLIDAYS.map(([name, month, day]) => holidayRule(words(name), month, day)),
  {
    pattern: words(
      `(?<hour>[01]?\\d|2[0-4])(?:[.:](?<minute>[0-5]\\d))? ?uhr(?: (?<minute2>[0-5]?\\d)(?![.:]\\d))?`,
    ),
    read: ({ hour, minute, minute2 }) => ({
      minutes: minutesOf(Number(hour), Number(minute ?? minute2 ?? 0)),
    }),
    examples: { "um 19 Uhr": "19:00", "19.30 Uhr": "19:30", "um 8:15 Uhr": "08:15", "9 Uhr 45": "09:45" },
  },
  {
    pattern: words(
      `(?<hour>${HOUR_WORD}) uhr|(?<=\\b(?:um|gegen|ab|bis) )(?<hour2>${HOUR_WORD})(?= ?(?:$|[,.;!?]|heute|morgen|am|abends|in|bei|einen|für))`,
    ),
    read: ({ hour, hour2 }) => ({ minutes: minutesOf(readNumber(hour ?? hour2 ?? "") ?? 0) }),
    examples: { "um sieben Uhr": "07:00", "um acht": "08:00" },
  },
  {
    pattern: words(
      `halb (?<half>${HOUR_WORD})|viertel nach (?<past>${HOUR_WORD})|viertel vor (?<to>${HOUR_WORD})`,
    ),
    read: ({ half, past, to }) => {
      const hour = readNumber(half ?? past ?? to ?? "") ?? 0;
      const shift = half !== undefined ? -30 : past !== undefined ? 15 : -15;
      return { minutes: (hour * 60 + shift + 720) % 720 };
    },
    examples: { "um halb acht": "07:30", "halb acht abends": "19:30", "Viertel nach sechs": "06:15" },
  },
  {
    pattern: words("um mitternacht"),
    read: () => ({ minutes: 0 }),
    examples: { "um Mitternacht": "00:00" },
  },
  {
    pattern: words(
      "(?:(?:am|in der) )?(?<part>vormittags?|nachmittags?|abends?|nachts?|mittags?)|(?:am |diesen )(?<part2>morgen)|(?<part3>morgens|früh)",
    ),
    read: ({ part, part2, part3 }) => partOf(part ?? part2 ?? part3),
    examples: {
      "um 7 Uhr abends": "19:00",
      "morgen um drei Uhr nachmittags": "2026-03-03T15:00",
      "am Freitag um 8 Uhr morgens": "2026-03-06T08:00",
      "morgen Mittag": "2026-03-03T12:00",
    },
  },
];
