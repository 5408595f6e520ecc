import { NUMBER_WORDS, readNumber } from "../language/number-words.js";
import { type NumberUnit, unitOfNumber } from "./number-units.js";

/** Each is weighed against each property. */
const MOST_NUMBERS = 500;

/** A number in a text. */
export interface NumberMention {
  value: number;
  index: number;
  end: number;
  /** A currency sign or code stands with it. */
  isMoney: boolean;
  isPercent: boolean;
  isTemperature: boolean;
  /** What it counts, where the words beside it tell. */
  unit?: NumberUnit | undefined;
}

const MULTIPLIERS: Readonly<Record<string, number>> = {
  k: 1e3,
  thousand: 1e3,
  tausend: 1e3,
  m: 1e6,
  million: 1e6,
  millionen: 1e6,
  mio: 1e6,
  billion: 1e9,
  milliarden: 1e9,
  千: 1e3,
  万: 1e4,
  亿: 1e8,
};

const UNIT_LETTERS =
  "(?:kg|g|mg|km|m|cm|mm|ml|cl|l|h|s|min|gb|mb|tb|kw|w|wh|kwh|eur|usd|gbp|chf|euros?|dollars?|x|px|st)(?!\\p{Script=Latin})";
const DIGITS = new RegExp(
  "(?<![\\p{Script=Latin}\\d_#]|[\\d\\p{Script=Latin}][-.,:/])([$€£¥]\\s?)?([-−](?=\\d))?" +
    "(\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?|\\d{1,3}(?:\\.\\d{3})+,\\d+|\\d+,\\d{1,2}(?![\\d,])|\\d+(?:\\.\\d+)?)" +
    "(\\s?(?:k|m|thousand|tausend|million(?:en)?|mio|billion|milliarden)(?!\\p{L})|[千万亿])?" +
    `(?![\\d_]|[-:/]\\d|(?!${UNIT_LETTERS})\\p{Script=Latin})`,
  "giu",
);
const CHINESE_COUNTED =
  "个名位人张份台件次天小年月岁晚夜盒瓶杯本支只条箱袋斤公千米块元美欧英日度楼层间套双把包颗星分周秒";
const WORD_NUMBER = new RegExp(
  `(?<![\\p{L}\\p{N}-])(${NUMBER_WORDS.join("|")})(?![\\p{Script=Latin}\\p{N}])|([零一二两三四五六七八九十百千万]{1,8})(?=[${CHINESE_COUNTED}])`,
  "giu",
);
/** "One" that only stands for a thing, and "一" that is no more than an article. */
const NO_NUMBER =
  /^(?:one (?:of|another|more|day|thing)|一(?!个?人|位|晚|天|张|间|岁|百|千|万|十|个月|个小时|周))/i;
const MONEY_AFTER =
  /^\s?(?:[$€£¥元块]|(?:usd|eur|gbp|chf|dollars?|euros?|pounds?|yuan|cny|rmb|cents?|franken|bucks)(?!\p{L})|美元|欧元|英镑|日元|人民币|港币)/iu;
const GERMAN = /[äöüß]|\b(?:und|für|mit|eine?[nmr]?|der|die|das|ist|bitte|kostet|beträgt|von|zum?|zur)\b/i;

/**
 * The numbers in a text, in digits and words, in order; those that stand in one of the `taken` ranges (the parts of
 * dates and times) are none, and neither are ids.
 */
export function findNumbers(text: string, taken: readonly { index: number; end: number }[]): NumberMention[] {
  const mentions: NumberMention[] = [];
  const german = GERMAN.test(text);
  const isTaken = rangesOf(taken);
  for (const match of text.matchAll(DIGITS)) {
    const [whole, currency, minus, digits = "0", multiplier] = match;
    if (isTaken(match.index, match.index + whole.length)) continue;
    const factor = multiplier === undefined ? 1 : (MULTIPLIERS[multiplier.trim().toLowerCase()] ?? 1);
    const value = valueOfDigits(digits, german) * factor * (minus === undefined ? 1 : -1);
    mentions.push(mentionOf(text, value, match.index, whole, currency !== undefined));
    if (mentions.length >= MOST_NUMBERS) break;
  }
  for (const match of text.matchAll(WORD_NUMBER)) {
    const value = readNumber(match[0]);
    if (value === undefined || isTaken(match.index, match.index + match[0].length)) continue;
    if (NO_NUMBER.test(text.slice(match.index, match.index + 12))) continue;
    mentions.push(mentionOf(text, value, match.index, match[0], false));
    if (mentions.length >= 2 * MOST_NUMBERS) break;
  }
  return mentions.sort((left, right) => left.index - right.index);
}

function mentionOf(
  text: string,
  value: number,
  index: number,
  whole: string,
  isMoney: boolean,
): NumberMention {
  const end = index + whole.length;
  const after = text.slice(end, end + 24);
  const before = text.slice(Math.max(0, index - 20), index);
  return {
    value,
    index,
    end,
    isMoney: isMoney || MONEY_AFTER.test(after) || /(?:USD|EUR|GBP|CHF|CNY|[$€£¥])\s?$/.test(before),
    isPercent: /^\s?(?:%|percent|prozent)/i.test(after),
    isTemperature: /^\s?(?:°|degrees|grad\b|度)/i.test(after),
    unit: unitOfNumber(before, after),
  };
}

/** In German the comma divides and the point groups, in English the other way round. */
function valueOfDigits(digits: string, german: boolean): number {
  if (/^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(digits)) return Number(digits.replaceAll(",", ""));
  if (digits.includes(",")) return Number(digits.replaceAll(".", "").replace(",", "."));
  return german && /^\d{1,3}\.\d{3}$/.test(digits) ? Number(digits.replace(".", "")) : Number(digits);
}

/** Whether a range overlaps one of many that are in order: asked from left to right. */
function rangesOf(taken: readonly { index: number; end: number }[]) {
  return (index: number, end: number): boolean => {
    let low = 0;
    let high = taken.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((taken[middle]?.end ?? 0) <= index) low = middle + 1;
      else high = middle;
    }
    const next = taken[low];
    return next !== undefined && next.index < end;
  };
}
