import { comingDayOfMonth, DAY, dayAt, dayOfDate, MINUTE, writeDay } from "./calendar.js";
import { CHINESE_MOMENTS } from "./chinese-moments.js";
import { ENGLISH_MOMENTS } from "./english-moments.js";
import { GERMAN_MOMENTS } from "./german-moments.js";
import type { DayPart, MomentRule, SaidMoment } from "./moment-rule.js";

/** A day, a time, or both, in a text. */
export interface Moment {
  index: number;
  end: number;
  /** `YYYY-MM-DD`. */
  date?: string;
  /** `HH:MM:SS`; of a part of the day alone, when such a part is about to begin in earnest. */
  time?: string;
  /** Of a time that stands alone: the day it belongs to, that of the moment before or the coming one. */
  impliedDate?: string;
}

interface Mention extends SaidMoment {
  index: number;
  end: number;
}

const ISO: MomentRule = {
  pattern:
    /(?<![\d.])(?<year>\d{4})[-/.](?<month>\d{1,2})[-/.](?<day>\d{1,2})(?:[T ](?<hour>[01]\d|2[0-3]):(?<minute>[0-5]\d)(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?(?!\d)/giu,
  read: ({ year, month, day, hour, minute }) => {
    const found = dayOfDate(Number(year), Number(month), Number(day));
    if (found === undefined) return undefined;
    return { day: found, ...(hour !== undefined && { minutes: Number(hour) * 60 + Number(minute) }) };
  },
  examples: {
    "2026-03-12": "2026-03-12",
    "2026/3/5": "2026-03-05",
    "2026-03-12T18:30:00Z": "2026-03-12T18:30",
  },
};

/** Every way of speaking of a moment that is understood. */
export const MOMENT_RULES: readonly MomentRule[] = [
  ISO,
  ...ENGLISH_MOMENTS,
  ...GERMAN_MOMENTS,
  ...CHINESE_MOMENTS,
];
const WITHOUT_CHINESE = [ISO, ...ENGLISH_MOMENTS, ...GERMAN_MOMENTS];

/** What may stand between a day and its time. */
const JOINT =
  /^[\s,，]{0,3}(?:(?:at|on|by|around|from|in|um|gegen|ab|am|von|der|the|的|在)\s{1,2}|[的在]|-\s)?$/i;
const LONGEST_JOINT = 10;
const HOURS: Readonly<Record<DayPart, number>> = {
  morning: 9,
  noon: 12,
  afternoon: 15,
  evening: 19,
  night: 21,
};
const LONGEST_TEXT = 100_000;
const MOST_MENTIONS = 300;

/** The days and times in a text, in order, by a clock at `now` (milliseconds since 1970) in UTC. */
export function findMoments(text: string, now: number): Moment[] {
  const read = text.slice(0, LONGEST_TEXT);
  const joined = join(read, findMentions(read, now));
  const moments: Moment[] = [];
  let day: string | undefined;
  for (const mention of joined) {
    const { dayOfMonth } = mention;
    const before = dayOfMonth === undefined || day === undefined ? undefined : Date.parse(day);
    const following =
      before === undefined || dayOfMonth === undefined ? undefined : comingDayOfMonth(before, dayOfMonth);
    const moment = momentOf(following === undefined ? mention : { ...mention, day: following }, now, day);
    day = moment.date ?? day;
    moments.push(moment);
  }
  return moments;
}

function findMentions(text: string, now: number): Mention[] {
  const mentions: Mention[] = [];
  for (const { pattern, read } of /\p{Script=Han}/u.test(text) ? MOMENT_RULES : WITHOUT_CHINESE) {
    for (const match of text.matchAll(pattern)) {
      const said = match[0] === "" ? undefined : read(match.groups ?? {}, now);
      if (said === undefined) continue;
      mentions.push({ ...said, index: match.index, end: match.index + match[0].length });
      if (mentions.length >= MOST_MENTIONS) break;
    }
  }
  mentions.sort((left, right) => left.index - right.index || right.end - left.end);
  const kept: Mention[] = [];
  for (const mention of mentions) {
    const last = kept.at(-1);
    if (last === undefined || mention.index >= last.end) kept.push(mention);
    // Of two that overlap, the one that says more, or else the longer one.
    else if (worth(mention) > worth(last)) kept[kept.length - 1] = mention;
  }
  return kept;
}

function worth({ day, minutes, index, end }: Mention): number {
  return end - index + (day === undefined ? 0 : 2) + (minutes === undefined ? 0 : 2);
}

/** A day and its time become one moment, whichever comes first. */
function join(text: string, mentions: readonly Mention[]): Mention[] {
  const joined: Mention[] = [];
  for (const mention of mentions) {
    const last = joined.at(-1);
    const gap = last === undefined ? "" : text.slice(last.end, mention.index);
    if (last && gap.length <= LONGEST_JOINT && JOINT.test(gap) && complement(last, mention)) {
      joined[joined.length - 1] = { ...last, ...mention, index: last.index };
    } else joined.push(mention);
  }
  return joined;
}

function complement(left: SaidMoment, right: SaidMoment): boolean {
  return (["day", "minutes", "part"] as const).every(
    (member) => left[member] === undefined || right[member] === undefined,
  );
}

function momentOf({ index, end, day, minutes, part }: Mention, now: number, before?: string): Moment {
  const time = minutes === undefined ? part && HOURS[part] * 60 : inPart(minutes, part);
  if (time === undefined) return { index, end, ...(day !== undefined && { date: writeDay(day) }) };
  if (day !== undefined) return { index, end, date: writeDay(day), time: writeTime(time) };
  const today = dayAt(now);
  const coming = today + time * MINUTE < now ? today + DAY : today;
  return { index, end, time: writeTime(time), impliedDate: before ?? writeDay(coming) };
}

function inPart(minutes: number, part: DayPart | undefined): number {
  const half = 12 * 60;
  if (part === "afternoon" || part === "evening") return minutes < half ? minutes + half : minutes;
  // At night it is 11, or 12, or 2.
  if (part === "night") return minutes >= 6 * 60 && minutes < half ? minutes + half : minutes % half;
  if (part === "noon") return minutes < 6 * 60 ? minutes + half : minutes;
  return minutes;
}

function writeTime(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:00`;
}
