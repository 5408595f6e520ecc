import type { Moment } from "../language/find-moments.js";
import { asString, type JSONSchema, typeOf } from "./json-schema.js";
import type { PropertyHint } from "./property-hint.js";
import type { TextSource } from "./text-source.js";

/** A property that wants a day, a time or both. */
export interface MomentWish {
  kind: "date" | "date-time" | "time" | "clock";
  hint: PropertyHint;
}

/** What a day or time is for: names of properties, and the words that stand before or after such a day in a text. */
interface Role {
  about: RegExp;
  before: RegExp;
  after?: RegExp;
}

const ROLES: readonly Role[] = [
  {
    about: /birth|\bborn\b|\bdob\b/,
    before:
      /(?:\bborn|birthday|birth|geboren|geburtstag|geburtsdatum|生于|出生于?|生日是?|出生日期)[^.,;\n]{0,12}$/iu,
    after: /^\s?(?:geboren|出生)/iu,
  },
  {
    about: /check ?out|\bend|\bto\b|until|return|\bback\b|expir|finish|\blast day|leaving/,
    before:
      /(?:(?:\bto|到|至)\s{0,2}(?:the )?|(?:\b(?:until|till|through|return(?:ing|s)?|back|end(?:s|ing)?|expires?|check(?:ing)?[ -]?out|leav(?:e|ing))|\b(?:bis|zurück|rückflug|rückreise|endet|abreise|läuft ab|rückgabe)|返回|返程|回来|退房|结束|归还)[^.;\n。；]{0,12})$/iu,
    after: /^\s?(?:zurück|返回|返程|回来|退房|结束)/iu,
  },
  {
    about: /\bdue\b|deadline|payable|payment date/,
    before:
      /(?:\b(?:due|deadline|payable|pay(?:ment)?|by|before|no later than)|\b(?:fällig|frist|zahlbar|bis|spätestens)|截止|到期|付款|之前)[^.;\n。；]{0,20}$/iu,
    after: /^\s?(?:fällig|zahlbar|到期|截止|之?前|付款)/iu,
  },
  {
    about: /invoice date|issue|dated|\bdate of invoice/,
    before:
      /(?:\b(?:issued|dated|invoice date|of)|\b(?:ausgestellt|rechnungsdatum|vom|gestellt)|开票|开具|开出)[^.;\n。；]{0,12}$/iu,
    after: /^\s?(?:ausgestellt|gestellt|开具|开票|开给)/iu,
  },
  {
    about: /deliver|ship|arriv/,
    before:
      /(?:\b(?:deliver\w*|ship\w*|arriv\w*)|\b(?:lieferung|geliefert|liefertermin|ankunft)|送达|送货|交货|到达|发货)[^.;\n。；]{0,16}$/iu,
    after: /^\s?(?:geliefert|liefern|送达|送货|到货|发货)/iu,
  },
  {
    about: /order(?:ed)? date|purchase/,
    before:
      /(?:\b(?:order(?:ed)?|bought|purchased)|\b(?:bestellt|gekauft)|下单|购买|订购)[^.;\n。；]{0,16}$/iu,
    after: /^\s?(?:bestellt|gekauft|下单|购买|订购)/iu,
  },
  {
    about: /check ?in|start|begin|depart|outbound|\bfrom\b|pick ?up|first day|hire/,
    before:
      /(?:\b(?:from|start(?:s|ing)?|begin(?:s|ning)?|depart\w*|leav\w*|check(?:ing)?[ -]?in|pick ?up|fly(?:ing)? out|out on)|\b(?:von|vom|ab|beginn|beginnt|anreise|hinflug|abflug|hinreise)|从|自|入住|开始|出发|起飞)[^.;\n。；]{0,12}$/iu,
    after: /^\s?(?:出发|开始|入住|起)/iu,
  },
];
const DAY_NAMES =
  /\bdate\b|\bday\b|birthday|deadline|\bdue\b|\bdob\b|\b(?:check ?in|check ?out)\b|\bweekday\b/;
const DAY_IN_DESCRIPTION = /\bdate\b|yyyy-mm-dd|\bday\b|datum|日期/;
const INSTANT_NAMES =
  /\bdate ?time\b|\btimestamp\b|\bstarts? at\b|\bends? at\b|\bwhen\b|\bschedule[d]? (?:at|for|time)\b/;
const TIME_NAMES = /\btime\b/;
const SPANS = /time ?zone|\btimes\b|time ?out|time ?frame|period|duration|days\b|how long/;
const CLOCK_TIME = /\b\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]m)?\b|\b\d{1,2}\s?[ap]m\b/i;

/** Whether a property wants a day or a time, and how it is written; undefined when it wants something else. */
export function momentWish(schema: JSONSchema, hint: PropertyHint): MomentWish | undefined {
  if (typeOf(schema) !== "string" || schema["enum"] !== undefined || schema["const"] !== undefined)
    return undefined;
  if (schema["anyOf"] !== undefined || schema["oneOf"] !== undefined) return undefined;
  const format = asString(schema["format"]);
  if (format === "date" || format === "date-time" || format === "time") return { kind: format, hint };
  if (format !== "") return undefined;
  const { name, all } = hint;
  const described = all.slice(name.length);
  if (SPANS.test(name)) return undefined;
  if (
    INSTANT_NAMES.test(name) ||
    (TIME_NAMES.test(name) && /iso ?8601|date ?time|date and time/.test(described))
  )
    return { kind: "date-time", hint };
  if (TIME_NAMES.test(name)) return { kind: "clock", hint };
  if (DAY_NAMES.test(name)) return { kind: "date", hint };
  const spans = /\b(?:start|end|from|to|until|departure|return|arrival|due|born)$/.test(name);
  return spans && DAY_IN_DESCRIPTION.test(described) ? { kind: "date", hint } : undefined;
}

/** What each property is given: by the words that stand with a day what it is for, the rest in the order of the text. */
export function assignMoments(
  wishes: readonly [name: string, wish: MomentWish][],
  source: TextSource,
): Map<string, string> {
  const assigned = new Map<string, string>();
  const taken = new Set<string>();
  const besides = source.moments.map((moment, index) => besideOf(source, moment, source.moments[index - 1]));
  const candidates = wishes
    .flatMap(([name, wish]) =>
      source.moments.map((moment, index) => ({
        name,
        wish,
        moment,
        score: scoreOf(wish, moment, besides[index] ?? NOTHING_BESIDE),
      })),
    )
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score || left.moment.index - right.moment.index);
  const give = (name: string, wish: MomentWish, moment: Moment) => {
    if (assigned.has(name) || taken.has(keyOf(wish, moment))) return;
    const value = write(wish, moment, source, wishes);
    if (value === undefined) return;
    taken.add(keyOf(wish, moment));
    assigned.set(name, value);
  };
  for (const { name, wish, moment } of candidates) give(name, wish, moment);
  for (const [name, wish] of wishes) {
    // A day that was born or due is not what another property of many is about.
    const free = source.moments.filter(
      (moment, index) =>
        !taken.has(keyOf(wish, moment)) &&
        (wishes.length === 1 || !belongsElsewhere(wish, besides[index] ?? NOTHING_BESIDE)),
    );
    const best =
      wish.kind === "date-time"
        ? (free.find(({ time }) => time !== undefined) ?? free[0])
        : free.find((moment) => write(wish, moment, source, wishes) !== undefined);
    if (best) give(name, wish, best);
  }
  return assigned;
}

/** Every day or time in a text as a list of such wants them. */
export function listMoments(wish: MomentWish, source: TextSource): string[] {
  return source.moments.flatMap((moment) => write(wish, moment, source, [["", wish]]) ?? []);
}

/** A day and a time may be taken from one moment. */
function keyOf({ kind }: MomentWish, { index }: Moment): string {
  return `${kind === "time" || kind === "clock" ? "time" : "date"} ${index}`;
}

/** What stands around a moment, and the roles it speaks for. */
interface Beside {
  before: string;
  roles: readonly Role[];
}

const NOTHING_BESIDE: Beside = { before: "", roles: [] };

/** Words before another moment, or before a comma, belong to that. */
function besideOf({ text }: TextSource, { index, end }: Moment, previous: Moment | undefined): Beside {
  const start = Math.max(0, index - 40, previous?.end ?? 0);
  const before = text.slice(start, index).replace(/^.*[,，;；。\n]/su, "");
  const after = text.slice(end, end + 12);
  return { before, roles: ROLES.filter((role) => role.before.test(before) || role.after?.test(after)) };
}

function roleOf({ hint }: MomentWish): Role | undefined {
  return ROLES.find(({ about }) => about.test(hint.name));
}

function scoreOf(wish: MomentWish, { index }: Moment, { before, roles }: Beside): number {
  const role = roleOf(wish);
  const lower = before.toLowerCase();
  const label = wish.hint.labels.find((each) => each.length > 1 && lower.includes(each));
  // The nearer to its label, the surer: "start: 1 May, end: 3 May".
  const labelled = label === undefined || index === 0 ? 0 : 1 + lower.lastIndexOf(label) / 40;
  return labelled + (role !== undefined && roles.includes(role) ? 2 / roles.length : 0);
}

function belongsElsewhere(wish: MomentWish, { roles }: Beside): boolean {
  const own = roleOf(wish);
  return own !== undefined && roles.length > 0 && !roles.includes(own);
}

function write(
  { kind }: MomentWish,
  moment: Moment,
  source: TextSource,
  wishes: readonly [string, MomentWish][],
): string | undefined {
  const dated = source.moments.filter(({ date }) => date !== undefined).slice(0, 2);
  const timed = source.moments
    .filter(({ date, time }) => date === undefined && time !== undefined)
    .slice(0, 2);
  switch (kind) {
    case "date":
      return moment.date;
    case "time":
      return moment.time === undefined ? undefined : `${moment.time}Z`;
    case "date-time": {
      // The day and the time may stand apart: "at 7 pm a table for tomorrow".
      const date = moment.date ?? (dated.length === 1 ? dated[0]?.date : moment.impliedDate);
      const time = moment.time ?? (dated.length === 1 && timed.length === 1 ? timed[0]?.time : undefined);
      return date === undefined ? undefined : `${date}T${time ?? "00:00:00"}Z`;
    }
    case "clock": {
      if (moment.time === undefined) return undefined;
      const wantsDay = !wishes.some(([, wish]) => wish.kind === "date");
      if (moment.date !== undefined && wantsDay) return `${moment.date}T${moment.time}Z`;
      const raw = CLOCK_TIME.exec(source.text.slice(moment.index, moment.end))?.[0];
      return raw ?? moment.time.slice(0, 5);
    }
  }
}

/** What stands in for a moment that a request does not tell: now, or today. */
export function presentMoment({ kind }: MomentWish, source: TextSource): string {
  const iso = new Date(source.reading.now).toISOString();
  if (kind === "date") return iso.slice(0, 10);
  if (kind === "time") return `${iso.slice(11, 19)}Z`;
  return kind === "clock" ? iso.slice(11, 16) : `${iso.slice(0, 19)}Z`;
}
