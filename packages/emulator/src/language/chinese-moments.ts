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
  weekdayOf,
} from "./calendar.js";
import { type DayPart, holidayRule, type MomentRule, minutesOf } from "./moment-rule.js";
import { readNumber } from "./number-words.js";

const NUMBER = "\\d{1,4}|[零〇一二两三四五六七八九十百]{1,5}";
const SMALL = "\\d{1,2}|[零〇一二两三四五六七八九十]{1,3}";
const DAYS: Readonly<Record<string, number>> = {
  大前天: -3,
  前天: -2,
  昨天: -1,
  昨日: -1,
  今天: 0,
  今日: 0,
  明天: 1,
  明日: 1,
  后天: 2,
  大后天: 3,
};
const SHORT_DAYS: Readonly<Record<string, number>> = { 昨: -1, 今: 0, 明: 1, 后: 2 };
const WEEKDAYS = "一二三四五六";
const PARTS: readonly (readonly [pattern: RegExp, part: DayPart])[] = [
  [/凌晨|清晨|早|上午/, "morning"],
  [/中午/, "noon"],
  [/下午|傍晚/, "afternoon"],
  [/晚/, "evening"],
  [/夜/, "night"],
];
const PART = "凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里|半夜";
const HOLIDAYS: readonly (readonly [name: string, month: number, day: number])[] = [
  ["平安夜", 12, 24],
  ["圣诞节?", 12, 25],
  ["元旦", 1, 1],
  ["国庆节?", 10, 1],
  ["劳动节|五一", 5, 1],
  ["情人节", 2, 14],
];

type Groups = Readonly<Record<string, string | undefined>>;

function characters(source: string): RegExp {
  return new RegExp(source, "giu");
}

function partOf(text: string | undefined): { part?: DayPart } {
  const found = text === undefined ? undefined : PARTS.find(([pattern]) => pattern.test(text));
  return found === undefined ? {} : { part: found[1] };
}

function dateOf({ year, which, month = "", day = "" }: Groups, now: number): { day: number } | undefined {
  const [monthNumber, dayNumber] = [readNumber(month) ?? 0, readNumber(day) ?? 0];
  const thisYear = new Date(now).getUTCFullYear();
  const said = year === undefined ? undefined : readNumber(year);
  const named = which === undefined ? said : thisYear + ("去今明".indexOf(which) - 1);
  const found =
    named === undefined
      ? comingDate(dayAt(now), monthNumber, dayNumber)
      : dayOfDate(named, monthNumber, dayNumber);
  return found === undefined ? undefined : { day: found };
}

function at(instant: number) {
  return { day: dayAt(instant), minutes: Math.floor((instant - dayAt(instant)) / MINUTE) };
}

function later({ count = "", unit = "" }: Groups, now: number, sign: 1 | -1 = 1) {
  const amount = sign * (count === "半" ? 0.5 : (readNumber(count) ?? 1));
  const today = dayAt(now);
  if (/天|日/.test(unit)) return { day: today + Math.round(amount) * DAY };
  if (/周|星期|礼拜/.test(unit)) return { day: today + Math.round(7 * amount) * DAY };
  if (/月/.test(unit))
    return { day: amount % 1 === 0 ? addMonths(today, amount) : today + 30 * amount * DAY };
  if (/年/.test(unit)) return { day: addMonths(today, 12 * amount) };
  return at(now + amount * (/时|钟头/.test(unit) ? 60 : 1) * MINUTE);
}

const UNIT = "(?<unit>分钟|个?小时|个?钟头|天|日|周|个?星期|个?礼拜|个月|年)";

/** How Chinese speaks of days and times. */
export const CHINESE_MOMENTS: readonly MomentRule[] = [
  {
    pattern: characters(
      `(?<word>大前天|大后天|${Object.keys(DAYS)
        .filter((word) => word.length === 2)
        .join("|")})`,
    ),
    read: ({ word = "" }, now) => ({ day: dayAt(now) + (DAYS[word] ?? 0) * DAY }),
    examples: { 明天: "2026-03-03", 后天: "2026-03-04", 大后天: "2026-03-05", 前天: "2026-02-28" },
  },
  {
    pattern: characters("(?<short>[昨今明后])(?<part>早|晚)上?"),
    read: ({ short = "", part }, now) => ({
      day: dayAt(now) + (SHORT_DAYS[short] ?? 0) * DAY,
      ...partOf(part),
    }),
    examples: { 今晚八点: "2026-03-02T20:00", 明早九点: "2026-03-03T09:00", 明晚: "2026-03-03T19:00" },
  },
  {
    pattern: characters(
      `(?:过|再过)?(?<count>${NUMBER}|半)${UNIT}(?:以后|之后|后)|(?:过|再过)(?<count2>${NUMBER}|半)${UNIT.replace("unit", "unit2")}`,
    ),
    read: ({ count, unit, count2, unit2 }, now) =>
      later({ count: count ?? count2, unit: unit ?? unit2 }, now),
    examples: {
      两周后: "2026-03-16",
      "3天后": "2026-03-05",
      一个月后: "2026-04-02",
      两小时后: "2026-03-02T11:00",
      半小时后: "2026-03-02T09:30",
      "15分钟之后": "2026-03-02T09:15",
      再过五天: "2026-03-07",
    },
  },
  {
    pattern: characters(`(?<count>${NUMBER}|半)${UNIT}(?:以前|之前|前)`),
    read: (groups, now) => later(groups, now, -1),
    examples: { 三周前: "2026-02-09", "2天前": "2026-02-28" },
  },
  {
    pattern: characters(
      "(?<which>下下|下个?|上个?|这个?|本)?(?:周|星期|礼拜)(?:(?<weekday>[一二三四五六])|(?<sunday>[日天]))",
    ),
    read: ({ which = "", weekday }, now) => {
      const today = dayAt(now);
      const wanted = weekday === undefined ? 6 : WEEKDAYS.indexOf(weekday);
      if (which === "") return { day: comingWeekday(today, wanted) };
      const weeks = which === "下下" ? 2 : which.startsWith("下") ? 1 : which.startsWith("上") ? -1 : 0;
      return { day: weekdayInWeek(today, wanted, weeks) };
    },
    examples: {
      周五: "2026-03-06",
      下周一: "2026-03-09",
      下下周三: "2026-03-18",
      上周一: "2026-02-23",
      这周日: "2026-03-08",
      星期六晚上八点: "2026-03-07T20:00",
    },
  },
  {
    pattern: characters("(?<which>下下|下|上)个?(?<unit>周|星期|礼拜|月)(?!末|[一二三四五六日天]|底|初|\\d)"),
    read: ({ which, unit = "" }, now) =>
      later(
        { count: which === "下下" ? "2" : "1", unit: unit === "月" ? "个月" : unit },
        now,
        which === "上" ? -1 : 1,
      ),
    examples: { 下周: "2026-03-09", 下个月: "2026-04-02", 下下周: "2026-03-16", 上个月: "2026-02-02" },
  },
  {
    pattern: characters("明年(?!\\d|[一二三四五六七八九十])"),
    read: (_, now) => ({ day: addMonths(dayAt(now), 12) }),
    examples: { 明年: "2027-03-02" },
  },
  {
    pattern: characters("(?<next>下个?)?月(?<edge>底|初)|(?<yearEnd>年底)"),
    read: ({ next, edge, yearEnd }, now) => {
      if (yearEnd !== undefined) return { day: Date.UTC(new Date(now).getUTCFullYear(), 11, 31) };
      const month = addMonths(startOfMonth(dayAt(now)), next === undefined ? 0 : 1);
      if (edge === "底") return { day: endOfMonth(month) };
      return { day: month < dayAt(now) ? addMonths(month, 1) : month };
    },
    examples: { 月底: "2026-03-31", 下个月初: "2026-04-01", 下月底: "2026-04-30", 年底: "2026-12-31" },
  },
  {
    pattern: characters("(?<which>下个?|这个?|本)?周末"),
    read: ({ which = "" }, now) => {
      const today = dayAt(now);
      const passed = weekdayOf(today) === 6 && which === "";
      return { day: weekdayInWeek(today, 5, which.startsWith("下") || passed ? 1 : 0) };
    },
    examples: { 周末: "2026-03-07", 下周末: "2026-03-14" },
  },
  {
    pattern: characters(
      `(?:(?<year>\\d{4}|[零〇一二三四五六七八九]{4}) ?年 ?|(?<which>[去今明])年)?(?<month>${SMALL}) ?月 ?(?<day>${SMALL}) ?[日号]?`,
    ),
    read: dateOf,
    examples: {
      "2026年2月3日": "2026-02-03",
      "3月15号": "2026-03-15",
      十二月二十四日: "2026-12-24",
      "1月5日": "2027-01-05",
      明年5月1日: "2027-05-01",
      二〇二六年三月八日: "2026-03-08",
    },
  },
  {
    pattern: characters(`(?<=(?<month>${SMALL})月(?:${SMALL})[日号]?(?:到|至|-|~|—))(?<day>${SMALL})[日号]`),
    read: dateOf,
    examples: { "5月3日到7日": "2026-05-03 2026-05-07" },
  },
  {
    pattern: characters(
      `(?<=(?:^|[在到从于是，,。\\s]|本月|这个月))(?<day>${SMALL})[号日](?![线楼门店房桌院室\\d])`,
    ),
    read: ({ day = "" }, now) => {
      const found = comingDayOfMonth(dayAt(now), readNumber(day) ?? 0);
      return found === undefined ? undefined : { day: found, dayOfMonth: readNumber(day) ?? 0 };
    },
    examples: { 在15号: "2026-03-15", 二十号: "2026-03-20" },
  },
  {
    pattern: characters(`下个?月(?<day>${SMALL})[号日]`),
    read: ({ day = "" }, now) => {
      const month = addMonths(startOfMonth(dayAt(now)), 1);
      const found = comingDayOfMonth(month, readNumber(day) ?? 0);
      return found === undefined ? undefined : { day: found };
    },
    examples: { 下个月3号: "2026-04-03" },
  },
  ...HOLIDAYS.map(([name, month, day]) => holidayRule(characters(name), month, day)),
  {
    pattern: characters(
      `(?<part>${PART})?(?<hour>${SMALL})[点點](?:钟|整|(?<half>半)|(?<quarter>[一三])刻|(?<minute>[0-5]?\\d|[零〇一二三四五六七八九十]{1,3})(?:分|(?![\\d零〇一二三四五六七八九十个位名人张份台件条杯道])))?(?!建议|要求|意见|概括|总结|理由|原因|内容|\\d)|(?<part2>${PART})(?<hour2>\\d{1,2})[:：](?<minute2>[0-5]\\d)`,
    ),
    read: ({ part, hour, half, quarter, minute, part2, hour2, minute2 }) => {
      const past = half
        ? 30
        : quarter
          ? 15 * (readNumber(quarter) ?? 0)
          : readNumber(minute ?? minute2 ?? "0");
      const minutes = minutesOf(readNumber(hour ?? hour2 ?? "") ?? 99, past);
      return minutes === undefined ? undefined : { minutes, ...partOf(part ?? part2) };
    },
    examples: {
      明天晚上七点: "2026-03-03T19:00",
      下午三点半: "15:30",
      上午十点一刻: "10:15",
      "19点": "19:00",
      "晚上8:30": "20:30",
      下午2点15分: "14:15",
      中午十二点: "12:00",
    },
  },
  {
    pattern: characters(`(?<part>${PART})`),
    read: ({ part }) => partOf(part),
    examples: { 明天下午: "2026-03-03T15:00", 周五上午: "2026-03-06T09:00" },
  },
];
