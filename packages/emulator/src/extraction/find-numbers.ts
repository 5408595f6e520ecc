import { findDates } from "./find-dates.js";

/** A number in a text. */
export interface NumberMention {
  value: number;
  index: number;
  end: number;
  /** A currency sign or code stands with it. */
  isMoney: boolean;
  isPercent: boolean;
  isTemperature: boolean;
}

const WORDS = new Map(
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
    .split(" ")
    .map((word, value) => [word, value] as const),
);
WORDS.set("dozen", 12)
  .set("thirty", 30)
  .set("forty", 40)
  .set("fifty", 50)
  .set("sixty", 60)
  .set("ninety", 90)
  .set("hundred", 100);
for (const [value, character] of [..."零一二三四五六七八九十"].entries()) WORDS.set(character, value);
WORDS.set("两", 2);

const MULTIPLIERS: Record<string, number> = {
  k: 1e3,
  thousand: 1e3,
  m: 1e6,
  million: 1e6,
  billion: 1e9,
  万: 1e4,
  亿: 1e8,
};

const DIGITS =
  /(?<![\p{L}\d_#]|[\d\p{L}][-.,:/])([$€£¥]\s?)?([-−](?=\d))?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(\s?(?:k|m|thousand|million|billion)\b|[万亿])?(?![\d\p{Lu}_]|[-:/]\d)/giu;
const WORD_NUMBER = new RegExp(
  `\\b(${[...WORDS.keys()].filter((word) => /[a-z]/.test(word)).join("|")})\\b|([零一二两三四五六七八九十])(?=[个名位人张份台件次天小年月岁])`,
  "gi",
);
const MONEY_AFTER = /^\s?(?:[$€£¥元]|(?:usd|eur|gbp|dollars?|euros?|pounds?|yuan|cny|rmb)\b)/i;

/** The numbers in a text, in digits and words, in order; the parts of dates, times and ids are none. */
export function findNumbers(text: string): NumberMention[] {
  const dates = findDates(text);
  const mentions: NumberMention[] = [];
  for (const match of text.matchAll(DIGITS)) {
    const { index } = match;
    if (dates.some((date) => index < date.end && index + match[0].length > date.index)) continue;
    const [whole, currency, minus, digits = "0", multiplier] = match;
    const factor = multiplier === undefined ? 1 : (MULTIPLIERS[multiplier.trim().toLowerCase()] ?? 1);
    const value = Number(digits.replaceAll(",", "")) * factor * (minus === undefined ? 1 : -1);
    const after = text.slice(index + whole.length, index + whole.length + 12);
    mentions.push({
      value,
      index,
      end: index + whole.length,
      isMoney: currency !== undefined || MONEY_AFTER.test(after),
      isPercent: /^\s?(?:%|percent)/i.test(after),
      isTemperature: /^\s?(?:°|degrees|度)/i.test(after),
    });
  }
  for (const match of text.matchAll(WORD_NUMBER)) {
    const value = WORDS.get((match[1] ?? match[2] ?? "").toLowerCase());
    if (value === undefined) continue;
    const end = match.index + match[0].length;
    mentions.push({ value, index: match.index, end, isMoney: false, isPercent: false, isTemperature: false });
  }
  return mentions.sort((left, right) => left.index - right.index);
}
