import { findExpressions } from "../language/calculate.js";
import { splitSentences } from "../language/split-passages.js";
import { isStopWord, similarity, textFeatures } from "../language/text-features.js";
import { findDates } from "./find-dates.js";
import { findNames, findPlace } from "./find-names.js";
import type { PropertyHint } from "./property-hint.js";
import type { TextSource } from "./text-source.js";

export const EMAIL = /[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}/gi;
export const WEB_ADDRESS = /https?:\/\/[^\s<>"'）)]*[^\s<>"'）).,;!?]/gi;
const PHONE = /\+?\d[\d\s().-]{6,}\d/;
const CLOCK_TIME = /\b\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]m)?\b|\b\d{1,2}\s?[ap]m\b/i;
const IDENTIFIER = /#\w[\w-]*|\b(?=[\w-]*\d)[A-Za-z]{1,8}[-_][\w-]+|\b[A-Z]{1,5}\d[\w-]*|\b\d{3,}\b/g;
const CURRENCY = /\b(USD|EUR|GBP|JPY|CNY|CHF|CAD|AUD|INR|KRW|SEK|NOK|DKK|PLN|BRL|MXN|SGD|HKD)\b/g;
const LANGUAGES =
  /\b(English|French|German|Spanish|Italian|Portuguese|Dutch|Russian|Chinese|Mandarin|Japanese|Korean|Arabic|Hindi|Turkish|Polish|Swedish|Greek)\b|[中英法德日韩西]文|[中英法德日韩]语/i;
const COLOURS =
  /\b(red|blue|green|yellow|black|white|orange|purple|pink|brown|gr[ae]y|gold|silver|cyan|magenta|navy|beige|turquoise)\b/i;
const COMMAND =
  /^(?:please |can you |could you |i want to |i need to |help me )*(?:(?:do a )?(?:web )?(?:search|look(?: ?up)?|find(?: out)?|google|query|check|browse|research|fetch|retrieve)(?: (?:the )?(?:web|internet|docs?|documentation|database|knowledge base|site|online))?(?: (?:for|about|up|on))?|tell me about|show me)\s+/i;
const REMARK =
  /(?:[:：]\s*|\b(?:saying|that says|which says|reading|to say)\s+|\bremind me (?:to|about|that)\s+|^say\s+)(.+)$/is;
const PICTURED =
  /^(?:please |can you |could you )*(?:generate|create|make|draw|paint|render|produce|show)\s+(?:me\s+)?(?:[\w-]+\s+){0,5}?(?:image|picture|photo|video|clip|illustration|painting|drawing|animation)s?\s+(?:of|showing|with|about)\s+(.+?)[.!]?$/is;

type StringReader = (source: TextSource, hint: PropertyHint) => string | undefined;

/** Readers by what the property's name or description speaks of; the first that finds something is believed. */
const READERS: readonly [about: RegExp, read: StringReader][] = [
  [/\be-?mail\b|邮箱/, ({ text }) => text.match(EMAIL)?.[0]],
  [/\b(?:url|link|website|web ?site|web address|uri|href)\b/, ({ text }) => text.match(WEB_ADDRESS)?.[0]],
  [/\b(?:phone|telephone|mobile)\b|电话|手机/, ({ text }) => PHONE.exec(text)?.[0].trim()],
  [/\bdate\b|\bday\b|\bbirthday\b|\bdeadline\b|日期/, ({ text }) => findDates(text)[0]?.iso],
  [/\btime\b/, ({ text }) => CLOCK_TIME.exec(text)?.[0]],
  [/\b(?:expression|formula|equation|calculation)\b|表达式/, ({ text }) => findExpressions(text)[0]],
  [/\bcurrency\b/, pickCurrency],
  [
    /\blanguage\b|语言/,
    ({ text }) =>
      /\b(?:to|into|in)\s+([A-Z][a-z]+)\b/.exec(text)?.[1]?.match(LANGUAGES)?.[0] ??
      LANGUAGES.exec(text)?.[0],
  ],
  [/\bcolou?r\b|颜色/, ({ text }) => COLOURS.exec(text)?.[0]],
  [/\b(?:ticker|stock symbol|symbol)\b/, ({ text }) => /\b[A-Z]{2,5}\b/.exec(text)?.[0]],
];

/** The same, for the name alone: its words say what is wanted, a description may only mention them. */
const NAME_READERS: readonly [about: RegExp, read: StringReader][] = [
  [/\b(?:id|number|no|code|reference|sku|ticket|invoice|order|tracking)$/, pickIdentifier],
  [
    /city|location|place|country|destination|origin|town|region|address|venue|where|城市|地点/,
    ({ text }, { name, all }) => findPlace(text, name, all),
  ],
  [
    /\b(?:name|person|who|customer|author|user|recipient|contact|employee|owner|assignee|company|organi[sz]ation|attendee|artist|brand|product)\b|姓名|名字/,
    pickName,
  ],
  [
    /\b(?:title|label|heading)\b/,
    (source) =>
      source.takeQuoted() ?? /\b(?:called|titled|named)\s+([^,.!?\n]{2,80})/i.exec(source.text)?.[1]?.trim(),
  ],
  [
    /^(?:answer|response|reply|summary|result|explanation|conclusion|output|final answer)$|摘要|答案/,
    ({ answer }) => answer(),
  ],
  [
    /\b(?:topic|subject|theme)\b/,
    ({ text }) => /\b(?:about|regarding)\s+([^,.!?\n]{2,80})/i.exec(text)?.[1]?.trim(),
  ],
  [/\b(?:query|question|search|keywords?|term|q)\b|查询/, ({ text }) => searchQuery(text)],
  [/\bcode\b/, ({ text }) => /```\w*\n([\s\S]*?)```/.exec(text)?.[1]],
  [/\bprompt\b/, ({ text }) => PICTURED.exec(text.trim())?.[1]],
  [/^(?:from|to|source|target)\b/, pickDirection],
  [
    /\b(?:text|content|message|body|prompt|input|note|comment|sentence|statement|reminder)\b|内容|文本/,
    (source) => REMARK.exec(source.text)?.[1]?.trim() ?? source.takeQuoted() ?? source.text.trim(),
  ],
  [
    /\b(?:task|todo|action|item)\b/,
    (source) => source.takeQuoted() ?? /(?:\bto|:)\s+([^.!?\n]{3,120})/.exec(source.text)?.[1]?.trim(),
  ],
];

const AMOUNT =
  /^\d[\d.,/]*\s*(?:(?:cups?|g|kg|grams?|ml|l|litres?|liters?|tbsp|tsp|tablespoons?|teaspoons?|pieces?|pcs|x|oz|lbs?|pounds?|slices?)\s+(?:of\s+)?)?/i;
const RELATED_SENTENCE = 0.12;

/** A string for the property from the text; `found` tells a find from a fallback. */
export function pickString(source: TextSource, hint: PropertyHint): { value: string; found: boolean } {
  const { text } = source;
  const keyed = keyedMention(text, hint.name);
  if (keyed !== undefined) return { value: keyed, found: true };
  for (const [about, read] of NAME_READERS) {
    const value = about.test(hint.name) ? read(source, hint) : undefined;
    if (value) return { value, found: true };
  }
  for (const [about, read] of READERS) {
    const value = about.test(hint.all) ? read(source, hint) : undefined;
    if (value) return { value, found: true };
  }
  const said = source.takeQuoted() ?? namedMention(text, hint.name);
  if (said !== undefined) return { value: said, found: true };
  return pickSentence(source, hint);
}

/** `color: red`, `the color is red`, `"color" = "red"`. */
function keyedMention(text: string, name: string): string | undefined {
  if (name === "") return undefined;
  const words = name.split(" ").map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  for (const label of new Set([words.join("[ _-]?"), words.at(-1)])) {
    const pattern = new RegExp(
      `(?:^|[\\s,;(.'"*{-])${label}["'*]{0,3}\\s{0,3}(?:[:=：]|\\bis\\b(?! (?:the|a|an)\\b)|是|为)\\s{0,3}["'*]{0,3}([^\\n,;"*]{1,200})`,
      "i",
    );
    const value = pattern.exec(text)?.[1];
    const trimmed = value
      ?.replace(/[.!?。]+(?:\s.*)?$|\s+(?:and|but|with|who|from|at)\s.*$/is, "")
      // What stands in brackets behind a value says more about it.
      .replace(/(?<=\S)\s*[（(].*$/s, "")
      .trim();
    if (trimmed) return trimmed;
  }
  return undefined;
}

/** `service payments`, `branch called main`: a value right after the name. */
function namedMention(text: string, name: string): string | undefined {
  const label = name.split(" ").at(-1) ?? "";
  if (!/^[a-z]{3,30}$/.test(label)) return undefined;
  const value = new RegExp(`\\b${label}\\s+(?:called\\s+|named\\s+)?([\\w][\\w./-]{1,60})`, "i").exec(
    text,
  )?.[1];
  return value === undefined || isStopWord(value.toLowerCase()) ? undefined : value.replace(/[.]+$/, "");
}

/** One end of `from a to b`: currencies, places, or just words. */
function pickDirection(source: TextSource, hint: PropertyHint): string | undefined {
  const { text } = source;
  // `to` of a message is an address, which is read by its own form.
  if (/\be-?mail\b|phone/.test(hint.all)) return undefined;
  if ((text.match(CURRENCY)?.length ?? 0) > 1) return pickCurrency(source, hint);
  const place = findPlace(text, hint.name, hint.all);
  if (place !== undefined) return place;
  const word = /^(?:from|source)/.test(hint.name) ? "from" : "(?:to|into)";
  return new RegExp(`\\b${word}\\s+(?!the\\b|an?\\b)([\\w-]{2,40})`, "i").exec(text)?.[1];
}

function pickName(source: TextSource, { name }: PropertyHint): string | undefined {
  const things = /company|organi[sz]ation|brand|product/.test(name);
  const names = findNames(source.text, things);
  return things ? (source.takeQuoted() ?? names[0]) : (names[0] ?? source.takeQuoted());
}

function pickIdentifier({ text }: TextSource, { name }: PropertyHint): string | undefined {
  const mentions = [...text.matchAll(IDENTIFIER)].filter(([value]) => !/^(?:19|20)\d\d$/.test(value));
  const word = name.split(" ").find((part) => !/^(?:id|number|no|code)$/.test(part)) ?? name;
  const at = text.toLowerCase().indexOf(word);
  const nearest = mentions.sort(
    (left, right) => distance(left.index, at) - distance(right.index, at),
  )[0]?.[0];
  return nearest?.replace(/^#/, "").replace(/-+$/, "");
}

/** An id stands after its word rather than before it. */
function distance(index: number, at: number): number {
  if (at < 0) return index;
  return index >= at ? index - at : 2 * (at - index);
}

function pickCurrency({ text }: TextSource, { name }: PropertyHint): string | undefined {
  const codes = [...text.matchAll(CURRENCY)].map(([code]) => code);
  if (codes.length > 0) return /\b(?:to|target|quote|destination)\b/.test(name) ? codes.at(-1) : codes[0];
  const signs: Record<string, string> = { $: "USD", "€": "EUR", "£": "GBP", "¥": "CNY" };
  return signs[/[$€£¥]/.exec(text)?.[0] ?? ""];
}

function searchQuery(text: string): string {
  const asked = splitSentences(text).find((sentence) => COMMAND.test(sentence)) ?? text;
  return asked
    .trim()
    .replace(COMMAND, "")
    .replace(/[.!。]+$/, "")
    .trim()
    .slice(0, 400);
}

/** The sentence that is most about the property; the first words of the text when none is. */
function pickSentence(source: TextSource, hint: PropertyHint): { value: string; found: boolean } {
  const wanted = textFeatures(hint.all);
  let best = { value: source.sentences[0]?.text ?? "", score: 0 };
  for (const { text, features } of source.sentences) {
    const score = similarity(wanted, features);
    if (score > best.score) best = { value: text, score };
  }
  // A list of things is named by its items without their amounts.
  const value = /\b(?:name|item|ingredient|product)\b/.test(hint.name)
    ? best.value.replace(AMOUNT, "")
    : best.value;
  return { value, found: best.score > RELATED_SENTENCE };
}
