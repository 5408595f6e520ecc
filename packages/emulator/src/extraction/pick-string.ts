import { findExpressions } from "../language/calculate.js";
import { findCurrencies } from "../language/currencies.js";
import { isStopWord, similarity, textFeatures } from "../language/text-features.js";
import { findMessage, findReminder, findSubject } from "./find-message.js";
import { findNames } from "./find-names.js";
import { findPlace } from "./find-place.js";
import { findQuery } from "./find-query.js";
import { findVenue } from "./find-venue.js";
import type { PropertyHint } from "./property-hint.js";
import type { TextSource } from "./text-source.js";

export const EMAIL = /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}\.[a-z]{2,}/gi;
export const WEB_ADDRESS = /https?:\/\/[^\s<>"'）)]*[^\s<>"'）).,;!?]/gi;
const PHONE = /(?<![\d.])\+?\d[\d \t().-]{6,24}\d/;
const IDENTIFIER =
  /#\w[\w-]{0,60}|\b(?=[\w-]{0,60}\d)[A-Za-z]{1,8}[-_][\w-]{1,60}|\b[A-Z]{1,5}\d[\w-]{0,60}|(?<![\w])\d{3,40}(?!\w)/g;
const LANGUAGES =
  /\b(English|French|German|Spanish|Italian|Portuguese|Dutch|Russian|Chinese|Mandarin|Japanese|Korean|Arabic|Hindi|Turkish|Polish|Swedish|Greek)\b|\b(?:Englisch|Deutsch|Französisch|Spanisch|Italienisch|Portugiesisch|Niederländisch|Russisch|Chinesisch|Japanisch|Koreanisch|Arabisch|Türkisch|Polnisch|Schwedisch|Griechisch)(?:en?)?(?!\p{L})|[中英法德日韩西]文|[中英法德日韩俄]语|西班牙语|意大利语/iu;
const COLOURS =
  /\b(?:red|blue|green|yellow|black|white|orange|purple|pink|brown|gr[ae]y|gold|silver|cyan|magenta|navy|beige|turquoise)\b|(?<!\p{L})(?:rot|blau|grün|gelb|schwarz|weiß|lila|rosa|braun|grau)(?:e[mnrs]?)?(?!\p{L})|[红蓝绿黄黑白橙紫粉棕灰]色/iu;
const FILE_PATH =
  /(?<![\p{L}\p{N}/.:])(?:~?\/|\.{1,2}\/|[A-Z]:\\)[\w.@+/\\-]{1,300}|(?<![\p{L}\p{N}/])(?:[\w@+-]{1,80}\/){1,20}[\w.@+-]{1,80}|(?<![\p{L}\p{N}/@.])[\w-]{1,80}(?:\.[\w-]{1,20}){0,3}\.(?:txt|md|json|ya?ml|csv|tsx?|jsx?|py|pdf|docx?|xlsx?|html?|css|xml|log|png|jpe?g|gif|svg|mp[34]|wav|zip|tar|gz|go|rs|java|c|cpp|h|sh|sql|toml|ini|env|conf|ipynb|rb|php)(?![\w/])/iu;
const PICTURED =
  /^(?:please |can you |could you )*(?:generate|create|make|draw|paint|render|produce|show)\s+(?:me\s+)?(?:[\w-]+\s+){0,5}?(?:image|picture|photo|video|clip|illustration|painting|drawing|animation)s?\s+(?:of|showing|with|about)\s+(.+?)[.!]?$/is;

/** `15% of 240`, `15 % von 240`, `240的15%`. */
const SHARE =
  /\d{1,9}(?:[.,]\d{1,9})? ?% (?:of|von) \d{1,12}(?:[.,]\d{1,9})?|\d{1,12}(?:\.\d{1,9})?的\d{1,9}(?:\.\d{1,9})? ?%/;

type StringReader = (source: TextSource, hint: PropertyHint) => string | undefined;

/** Readers by what the property's name or description speaks of; the first that finds something is believed. */
const READERS: readonly [about: RegExp, read: StringReader][] = [
  [/\be-?mail\b|邮箱/, (source, hint) => pickEmail(source, hint)],
  [/\b(?:url|link|website|web ?site|web address|uri|href)\b/, ({ text }) => text.match(WEB_ADDRESS)?.[0]],
  [/\b(?:phone|telephone|mobile)\b|电话|手机/, ({ text }) => PHONE.exec(text)?.[0].trim()],
  [
    /\b(?:expression|formula|equation|calculation)\b|表达式/,
    ({ text }) => findExpressions(text)[0] ?? SHARE.exec(text)?.[0],
  ],
  [/\bcurrency\b/, pickCurrency],
  [
    /\blanguage\b|语言/,
    ({ text }) =>
      /\b(?:to|into|in|ins)\s+(\p{Lu}\p{L}+)/u.exec(text)?.[1]?.match(LANGUAGES)?.[0] ??
      /[成为]([中英法德日韩西俄]文|[中英法德日韩俄]语|西班牙语|意大利语)/.exec(text)?.[1] ??
      LANGUAGES.exec(text)?.[0],
  ],
  [/\bcolou?r\b|颜色/, ({ text }) => COLOURS.exec(text)?.[0]],
  [/\b(?:ticker|stock symbol|symbol)\b/, ({ text }) => /\b[A-Z]{2,5}\b/.exec(text)?.[0]],
];

/** The same, for the name alone: its words say what is wanted, a description may only mention them. */
const NAME_READERS: readonly [about: RegExp, read: StringReader][] = [
  [
    /\b(?:file ?path|path|file ?name|file|folder|directory)\b/,
    ({ text }) => FILE_PATH.exec(text)?.[0].replace(/\.$/, ""),
  ],
  [/\be-?mails?\b|\bmail address\b/, (source, hint) => pickEmail(source, hint)],
  [/\b(?:url|link|website|uri|href)\b/, ({ text }) => text.match(WEB_ADDRESS)?.[0]],
  [/\b(?:phone|telephone|mobile)\b/, ({ text }) => PHONE.exec(text)?.[0].trim()],
  [/\b(?:id|number|no|code|reference|sku|ticket|invoice|order|tracking)$/, pickIdentifier],
  [/^(?:to|recipients?|from|sender|cc|bcc)$/, pickCorrespondent],
  [/\b(?:restaurant|hotel|venue|shop|store|cafe|café|salon|bar)\b/, pickVenue],
  [
    /city|location|place|country|destination|origin|town|region|address|where|城市|地点/,
    (source, hint) => findPlace(source, hint),
  ],
  [
    /\b(?:name|person|who|customer|author|user|recipient|contact|employee|owner|assignee|company|organi[sz]ation|attendee|artist|brand|vendor|supplier|manufacturer|client)\b|姓名|名字/,
    pickName,
  ],
  [
    /\b(?:title|label|heading)\b/,
    (source) =>
      source.takeQuoted() ??
      /\b(?:called|titled|named|namens|genannt)\s+([^,.!?\n]{2,80})/i.exec(source.text)?.[1]?.trim() ??
      findReminder(source) ??
      findTitle(source),
  ],
  [
    /^(?:answer|response|reply|summary|result|explanation|conclusion|output|final answer)$|摘要|答案/,
    ({ reading }) => reading.answer(),
  ],
  [/\bsubject\b/, findSubject],
  [
    /\b(?:topic|theme)\b/,
    ({ text }) =>
      (
        /(?<!\p{L})(?:about|regarding|über|zum thema)\s+([^,.!?\n]{2,80})/iu.exec(text)?.[1] ??
        /(?:关于|讨论|商量|谈谈)([^，。！？\n的]{1,40})/.exec(text)?.[1]
      )?.trim(),
  ],
  [/\b(?:query|question|search|keywords?|term|q)\b|查询/, ({ text }) => findQuery(text)],
  [/\bcode\b/, ({ text }) => /```\w*\n([\s\S]*?)```/.exec(text)?.[1]],
  [/\bprompt\b/, ({ text }) => PICTURED.exec(text.trim())?.[1]],
  [/^(?:from|to|source|target)\b/, pickDirection],
  [
    /\b(?:text|content|message|body|prompt|input|note|comment|sentence|statement|reminder)\b|内容|文本/,
    (source) => findMessage(source) ?? (source.reading.isRequest ? undefined : source.text.trim()),
  ],
  [
    /\b(?:task|todo|action)\b/,
    (source) =>
      findReminder(source) ??
      source.takeQuoted() ??
      /(?:\bto|(?<!\d):)\s+([^.!?\n]{3,120})/.exec(source.text)?.[1]?.trim(),
  ],
  [/\b(?:product|item|article|dish|drink|pizza)\b/, pickThing],
];

const AMOUNT =
  /^\d[\d.,/]*\s*(?:(?:cups?|g|kg|grams?|ml|l|litres?|liters?|tbsp|tsp|tablespoons?|teaspoons?|pieces?|pcs|x|oz|lbs?|pounds?|slices?)\s+(?:of\s+)?)?/i;
const RELATED_SENTENCE = 0.12;
const LONGEST_GIST = 60;

/** A string for the property from the text; `found` tells a find from a fallback. */
export function pickString(
  source: TextSource,
  hint: PropertyHint,
  isRequired: boolean,
): { value: string; found: boolean } {
  const { text } = source;
  for (const label of hint.labels) {
    const keyed = keyedMention(text, label);
    if (keyed !== undefined) return { value: source.use(keyed), found: true };
  }
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
  if (!source.reading.isRequest) return pickSentence(source, hint);
  return { value: isRequired ? gist(text) : "", found: false };
}

/** What a request is about, in a few words; nothing when it takes more to say. */
function gist(text: string): string {
  const query = findQuery(text);
  const isShort = query.length <= LONGEST_GIST && query !== text.trim().replace(/[.!?。！？]+$/u, "");
  return isShort && !isStopWord(query.toLowerCase()) ? query : "";
}

/** `color: red`, `the color is red`, `"color" = "red"`, `颜色是红色`, `Farbe: rot`. */
function keyedMention(text: string, name: string): string | undefined {
  if (name === "") return undefined;
  const isHan = /\p{Script=Han}/u.test(name);
  const words = name.split(" ").map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const spellings = isHan ? [words.join("")] : [words.join("[ _-]?"), words.at(-1) ?? ""];
  for (const label of new Set(spellings)) {
    const start = isHan ? "" : "(?:^|[\\s,;(.'\"*{-])";
    const is = isHan
      ? "[:=：]|是|为"
      : "[:=：]|\\b(?:is|ist|lautet)\\b(?! (?:the|an?|der|die|das|eine?[nmr]?) )";
    const pattern = new RegExp(
      `${start}${label}["'*]{0,3}\\s{0,3}(?:${is})\\s{0,3}["'“„‘「*]{0,3}([^\\n,;"*“”„」，；。]{1,200})`,
      "iu",
    );
    const value = pattern.exec(text)?.[1];
    const trimmed = value
      ?.replace(/(?:[.!?。]+(?:\s.*)?|\s+(?:and|but|with|who|from|at|und|aber|mit)\s.*)$/is, "")
      // What stands in brackets behind a value says more about it.
      .replace(/(?<=\S)\s*[（(].*$/s, "")
      .trim();
    if (trimmed && !/^(?:null|undefined|\.{3}|…)$/.test(trimmed)) return trimmed;
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
  const currencies = findCurrencies(text);
  if (currencies.length > 1 || (currencies.length > 0 && /currenc|iso 4217|money/.test(hint.all)))
    return pickCurrency(source, hint);
  const place = findPlace(source, hint);
  if (place !== undefined) return place;
  const word = /^(?:from|source)/.test(hint.name) ? "from|von|aus" : "to|into|in|nach|zu";
  return new RegExp(
    `(?<!\\p{L})(?:${word})\\s+(?!the\\b|an?\\b|der\\b|die\\b|das\\b|eine?[nmr]?\\b)([\\w-]{2,40})`,
    "iu",
  ).exec(text)?.[1];
}

function pickEmail({ text }: TextSource, { name }: PropertyHint): string | undefined {
  const addresses = [...text.matchAll(EMAIL)];
  const lead = /\b(?:cc|copy)\b/.test(name)
    ? /(?:\bcc|\bcopy|\bkopie(?: an)?|抄送)[^@\n]{0,12}$/iu
    : /\b(?:from|sender)\b/.test(name)
      ? /(?:\bfrom|\bvon|从)\s?$/iu
      : undefined;
  const before = (index: number) => text.slice(Math.max(0, index - 24), index);
  if (lead) return addresses.find(({ index }) => lead.test(before(index)))?.[0];
  return (addresses.find(
    ({ index }) => !/(?:\bcc|\bfrom|\bkopie an|\bvon|抄送)[:\s]{0,2}$/iu.test(before(index)),
  ) ?? addresses[0])?.[0];
}

/** Who a message goes to or comes from: an address, else a name. */
function pickCorrespondent(source: TextSource, hint: PropertyHint): string | undefined {
  const address = pickEmail(source, hint);
  if (address !== undefined) return address;
  if (/\be-?mail\b/.test(hint.all) || /^(?:from|sender|cc|bcc)$/.test(hint.name)) return undefined;
  const isMessage = /message|mail|recipient|contact|person|receiver|sms|text|phone|empfänger|收件|联系/.test(
    hint.all,
  );
  if (!isMessage) return undefined;
  const text = source.withoutMoments;
  return (
    /(?<!\p{L})(?:to|[Tt]ell|[Mm]essage|[Tt]ext|[Nn]otify|an|[Ss]chreibe?|[Ss]age?|[Cc]all|[Aa]sk|[Ii]nvite|[Rr]ufe?)\s(\p{Lu}\p{L}{1,30}(?:\s\p{Lu}\p{L}{1,30})?)/u.exec(
      text,
    )?.[1] ??
    /(?:给|告诉|通知|向|跟)([\u4e00-\u9fff]{2,3}?)(?=发|写|打|说|转|汇|寄|送|付|还|，|我|明|的|\d|\s)/u.exec(
      text,
    )?.[1] ??
    findNames(text)[0]
  );
}

function pickVenue(source: TextSource, hint: PropertyHint): string | undefined {
  return findVenue(source) ?? (source.reading.isRequest ? source.takeQuoted() : pickName(source, hint));
}

function pickName(source: TextSource, { name }: PropertyHint): string | undefined {
  const things = /company|organi[sz]ation|brand|vendor|supplier|manufacturer/.test(name);
  const names = findNames(source.withoutMoments, things).filter((each) => !source.isUsed(each));
  if (/\bfirst name\b/.test(name)) return names[0]?.split(" ")[0];
  if (/\b(?:last name|surname)\b/.test(name)) return names[0]?.split(" ").at(-1);
  return things ? (source.takeQuoted() ?? names[0]) : (names[0] ?? source.takeQuoted());
}

const TITLES: readonly RegExp[] = [
  /(?<!\p{L})(?:schedule|create|add|plan|book|set up|arrange|make|organi[sz]e)\s(?:me\s)?(?:an?|the|my|our)\s(?:new\s)?([\p{L}][\p{L} '-]{2,40}?)(?=\s(?:with|at|on|for|from|called|named|about|in|to|next|this)\b|\s{2,}|[,.!?]|$)/iu,
  /(?<!\p{L})(?:plane?|erstelle?|lege?|vereinbare?|trage?|mache?)\s(?:mir\s|bitte\s)?[^.!?\n]{0,40}?(?:ein(?:en?)?|das|den|die|mein(?:en?)?|unser(?:en?)?)\s([\p{L}][\p{L} -]{2,40}?)(?=\s(?:mit|über|um|am|für|ein|an|im|zum)(?!\p{L})|\s{2,}|[,.!?]|$)/iu,
  /(?:安排|创建|新建|添加)(?:一个|一次|一场)?([\u4e00-\u9fff]{2,10})/u,
];

/** What an entry that is to be made is called. */
function findTitle({ withoutMoments }: TextSource): string | undefined {
  for (const pattern of TITLES) {
    const title = pattern.exec(withoutMoments)?.[1]?.trim();
    if (title) return title;
  }
  return undefined;
}

/** A thing that is counted: `12 boxes of green tea`, `12 Kartons grünen Tee`, `12盒绿茶`. */
const COUNTED: readonly RegExp[] = [
  /\b(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve)\s(?:(?:boxes|bottles|packs?|bags|cans|cups|pairs|sets|crates|cartons|jars|pieces|units|box|bottle|bag|cup|pair|kg|g)\sof\s)([\p{Ll}][\p{L} -]{1,50}?)(?=[.,;!?\n]|\s(?:with|to|for|by|from|and|please|as|at|in)\b|$)/u,
  /(?<!\p{L})(?:\d+|eine?[nm]?|zwei|drei|vier|fünf|sechs|zehn|zwölf)\s(?:Kartons?|Flaschen?|Packungen?|Kisten?|Dosen?|Stück|Paar|Tüten?|Gläser|kg|g)\s([\p{L}][\p{L} -]{1,40}?)(?=[.,;!?\n“”]|\s(?:mit|per|an|für|bis|von|und|bitte|als|zu|in)(?!\p{L})|$)/u,
  /(?:\d+|[一二两三四五六七八九十]+)[盒个件份瓶箱袋本台支只条包套双把张杯斤]([\u4e00-\u9fff]{1,10}?)(?=[，。,.；！？\s”]|要|到|送|寄|和|，|$)/u,
  /\b(?:order|buy|purchase|want|need|send me|get me|ship)\s(?:me\s)?(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|some|the)\s([\p{L}][\p{L} -]{1,50}?)(?=[.,;!?\n]|\s(?:with|to|for|by|from|please|as|at|in|on)\b|$)/iu,
  /(?<!\p{L})(?:bestelle?|kaufe?|brauche|möchte|hätte gern)\s(?:bitte\s|mir\s)*(?:\d+|eine?[nm]?|zwei|drei|vier|fünf|sechs|zehn|zwölf)\s([\p{L}][\p{L} -]{1,40}?)(?=[.,;!?\n“”]|\s(?:mit|per|an|für|bis|von|bitte|als|zu|in)(?!\p{L})|$)/iu,
];

function pickThing(source: TextSource): string | undefined {
  const { text } = source;
  for (const pattern of COUNTED) {
    const thing = pattern.exec(text)?.[1]?.trim();
    if (thing) return thing;
  }
  if (source.reading.isRequest) return source.takeQuoted();
  // Material names products in capitals, but what is quoted in an instruction is all of the material.
  return findNames(source.withoutMoments, true)[0];
}

function pickIdentifier(source: TextSource, { name, labels }: PropertyHint): string | undefined {
  const text = source.withoutMoments;
  const mentions = [...text.matchAll(IDENTIFIER)].filter(
    ([value]) => !/^(?:19|20)\d\d$/.test(value) || text.length < 200,
  );
  const word = name.split(" ").find((part) => !/^(?:id|number|no|code)$/.test(part)) ?? name;
  const lower = text.toLowerCase();
  const words = [word, ...(meaningsOf(word) ?? []), ...labels];
  const at = Math.max(-1, ...words.map((each) => lower.indexOf(each)));
  const nearest = mentions.sort(
    (left, right) => distance(left.index, at) - distance(right.index, at),
  )[0]?.[0];
  return nearest?.replace(/^#/, "").replace(/-+$/, "");
}

/** What an order, an invoice, a customer is called in the other languages. */
function meaningsOf(word: string): readonly string[] | undefined {
  const rows: Readonly<Record<string, readonly string[]>> = {
    order: ["bestell", "auftrag", "订单"],
    invoice: ["rechnung", "发票"],
    customer: ["kunde", "客户"],
    ticket: ["ticket", "vorgang", "工单"],
    booking: ["buchung", "预订"],
    reservation: ["reservierung", "预订"],
    flight: ["flug", "航班"],
    tracking: ["sendung", "快递"],
  };
  return rows[word];
}

/** An id stands after its word rather than before it. */
function distance(index: number, at: number): number {
  if (at < 0) return index;
  return index >= at ? index - at : 2 * (at - index);
}

/** Of two currencies, the one that stands with an amount is what one has; `to` wants the other. */
function pickCurrency({ text }: TextSource, { name }: PropertyHint): string | undefined {
  const mentions = findCurrencies(text);
  const wantsTarget = /\b(?:to|target|quote|destination|into)\b/.test(name);
  if (mentions.length < 2) {
    const [only] = mentions;
    const isTarget =
      only !== undefined &&
      /(?:\bto|\binto|\bin|成|为|换)\s?$/u.test(text.slice(Math.max(0, only.index - 8), only.index));
    return /\b(?:to|from|target|source|quote|base)\b/.test(name) && isTarget !== wantsTarget
      ? undefined
      : only?.code;
  }
  const held =
    mentions.find(({ index, end }) => {
      const before = text.slice(Math.max(0, index - 12), index);
      return (
        /(?:[\d.,]|\d(?:k|m)|[万千百十亿一二两三四五六七八九])\s?$/u.test(before) ||
        NUMBER_WORD_BEFORE.test(before) ||
        /^\s?\d/.test(text.slice(end, end + 3))
      );
    }) ?? mentions[0];
  return wantsTarget ? mentions.find(({ code }) => code !== held?.code)?.code : held?.code;
}

const NUMBER_WORD_BEFORE =
  /(?:hundred|hundert|thousand|tausend|ten|twenty|fifty|zehn|zwanzig|fünfzig|five|fünf|million)\s$/i;

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
