import { splitSentences } from "../language/split-passages.js";
import { isStopWord, wordsOf } from "../language/text-features.js";
import { capitalisedPhrases, findNames } from "./find-names.js";
import { placesOfKind } from "./find-place.js";
import { EMAIL, WEB_ADDRESS } from "./pick-string.js";
import type { PropertyHint } from "./property-hint.js";
import type { TextSource } from "./text-source.js";

const BULLET = /^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(.+)$/gm;
const SEPARATOR = /\s*(?:,\s*(?:and|or|und|oder)\s+|[,;、，]|\s(?:and|or|&|und|oder|sowie)\s|和|以及)\s*/;
const LED_IN =
  /(?::\s|：|(?:\b(?:include|includes|including|such as|namely|are|like|likes|with|of|buy|need|add|bring|mix|kaufe?|brauche|sind|nämlich|bringe?|mag|mit)\b\s|需要|包括|有|买|是|用))\s*([^.\n:：]+)/gi;
const MOST_ITEMS = 20;
const MOST_KEYWORDS = 5;

/** The parts of a text that may each be one object: its bullets, else its lines, else its sentences. */
export function textParts(text: string): string[] {
  const bullets = [...text.matchAll(BULLET)].map((match) => match[1] ?? "");
  if (bullets.length > 0) return bullets.slice(0, MOST_ITEMS);
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const sentences = lines.flatMap(splitSentences);
  const parts = sentences.length > 1 ? sentences : enumeration(text);
  return (parts.length > 1 ? parts : [text]).slice(0, MOST_ITEMS);
}

/** Strings for a list property, in the order of the text; none when the text lists nothing of the kind. */
export function pickStringList(source: TextSource, hint: PropertyHint): string[] {
  const items = readItems(source, hint).map((item) => item.trim().replace(/[.!?。]+$/, ""));
  return [...new Set(items.filter((item) => item !== ""))].slice(0, MOST_ITEMS);
}

function readItems(source: TextSource, hint: PropertyHint): string[] {
  const { text } = source;
  if (/\be-?mails?\b|邮箱/.test(hint.all)) return text.match(EMAIL) ?? [];
  if (/\b(?:urls?|links?)\b/.test(hint.all)) return text.match(WEB_ADDRESS) ?? [];
  if (/\bdates?\b/.test(hint.name)) return source.moments.flatMap(({ date }) => date ?? []);
  const bullets = [...text.matchAll(BULLET)].map((match) => match[1] ?? "");
  if (bullets.length > 0) return bullets;
  if (/\b(?:names|people|persons|attendees|participants|characters|authors)\b/.test(hint.name))
    return findNames(text);
  if (/\bcompanies\b/.test(hint.name)) return findNames(text, true);
  if (/\b(?:cities|locations|places|countries|destinations|towns)\b/.test(hint.name)) {
    const kind = /countries/.test(hint.name)
      ? "country"
      : /cities|towns/.test(hint.name)
        ? "city"
        : undefined;
    const known = placesOfKind(text, kind);
    return known.length > 0 ? known : capitalisedPhrases(text);
  }
  if (/\bcolou?rs\b/.test(hint.name)) return text.match(COLOURS) ?? [];
  if (/\b(?:tags|keywords|topics|labels)\b/.test(hint.name)) return keywords(text);
  const listed = enumeration(text).map((item) => (source.reading.isRequest ? withoutCommand(item) : item));
  return listed.map((item) =>
    /ingredient|item|product|grocer|shopping/.test(hint.name) ? withoutAmount(item) : item,
  );
}

const COLOURS =
  /\b(?:red|blue|green|yellow|black|white|orange|purple|pink|brown|gr[ae]y|gold|silver)\b|\b(?:rot|blau|grün|gelb|schwarz|weiß|lila|rosa|braun|grau|gold|silber)(?:e[mnrs]?)?(?!\p{L})|[红蓝绿黄黑白橙紫粉棕灰]色/giu;
const AMOUNT_BEFORE =
  /^\s*(?:(?:about|etwa|约)\s?)?(?:\d[\d.,/]*|an?|some|one|two|three|four|five|six|half an?|eine?n?|etwas|zwei|drei|vier|fünf|sechs|[一二两三四五六几半])?\s?(?:(?:cups?|g|kg|grams?|ml|l|litres?|liters?|tbsp|tsp|tablespoons?|teaspoons?|pieces?|pcs|oz|lbs?|pounds?|slices?|pinch|prise|el|tl|gramm|liter|stück|scheiben?|cloves?|zehen?)\s(?:of\s)?|[个克勺杯只根片条颗](?=[\u4e00-\u9fff])|少许|适量)?/iu;
const AMOUNT_AFTER =
  /\s{0,2}(?:\d[\d.,]*|[一二两三四五六半])\s?(?:克|千克|毫升|升|个|勺|杯|g|kg|ml)$|(?:少许|适量)$/u;

const COMMAND_BEFORE =
  /^\s*(?:please |bitte )?(?:add|put|buy|get|order|bring|write|note|setze?|füge?|kaufe?|schreibe?|packe?|bestelle?|lege?)\s(?:me |mir |bitte )?|^(?:请)?(?:帮我)?(?:把|买|添加|加上|订购|记下)/iu;
const LIST_AFTER =
  /\s(?:to|on|onto|into|in) (?:my|the|our|a) .{0,60}$|\s(?:auf|in|zu|zur) (?:die|der|den|das|meine[nr]?|unsere[nr]?|einkaufsliste|liste) ?.{0,60}$|\s(?:hinzu|dazu|ein)$|(?:加到|加入|添加到|放到|放进|写到|记到).{0,30}$/iu;

/** What a request lists, without the words that say what to do with it. */
function withoutCommand(item: string): string {
  return item.replace(COMMAND_BEFORE, "").replace(LIST_AFTER, "");
}

/** What is left of `200 g of flour` or `面粉200克` without the amount. */
function withoutAmount(item: string): string {
  const rest = item.replace(AMOUNT_AFTER, "").replace(AMOUNT_BEFORE, "").trim();
  return rest === "" ? item : rest;
}

/** `a, b and c`, the longest such list in the text, preferably after words that lead one in. */
function enumeration(text: string): string[] {
  const candidates = [...text.matchAll(LED_IN)].map((match) => (match[1] ?? "").split(SEPARATOR));
  const best = candidates
    .filter((items) => items.length > 1 && items.every((item) => item.trim().split(/\s+/).length <= 8))
    .sort((left, right) => right.length - left.length)[0];
  if (best) return best;
  const sentence = splitSentences(text)
    .map((candidate) => candidate.split(SEPARATOR))
    .filter((items) => items.length > 2)
    .sort((left, right) => right.length - left.length)[0];
  return sentence ?? [];
}

function keywords(text: string): string[] {
  const counts = new Map<string, number>();
  for (const word of wordsOf(text)) {
    if (!isStopWord(word) && word.length > 2) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts]
    .sort((left, right) => right[1] - left[1] || right[0].length - left[0].length)
    .slice(0, MOST_KEYWORDS)
    .map(([word]) => word);
}
