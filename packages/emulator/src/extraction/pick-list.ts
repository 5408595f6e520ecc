import { splitSentences } from "../language/split-passages.js";
import { isStopWord, wordsOf } from "../language/text-features.js";
import { findDates } from "./find-dates.js";
import { capitalisedPhrases, findNames } from "./find-names.js";
import { EMAIL, WEB_ADDRESS } from "./pick-string.js";
import type { PropertyHint } from "./property-hint.js";

const BULLET = /^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(.+)$/gm;
const SEPARATOR = /\s*(?:,\s*(?:and|or)\s+|[,;、，]|\s(?:and|or|&)\s|和|以及)\s*/;
const LED_IN =
  /(?::|：|\b(?:include|includes|including|such as|namely|are|like|likes|with|of|buy|need|add|bring)\b)\s+([^.\n:：]+)/gi;
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
export function pickStringList(text: string, hint: PropertyHint): string[] {
  const items = readItems(text, hint).map((item) => item.trim().replace(/[.!?。]+$/, ""));
  return [...new Set(items.filter((item) => item !== ""))].slice(0, MOST_ITEMS);
}

function readItems(text: string, hint: PropertyHint): string[] {
  if (/\be-?mails?\b/.test(hint.all)) return text.match(EMAIL) ?? [];
  if (/\b(?:urls?|links?)\b/.test(hint.all)) return text.match(WEB_ADDRESS) ?? [];
  if (/\bdates?\b/.test(hint.name)) return findDates(text).map(({ iso }) => iso);
  const bullets = [...text.matchAll(BULLET)].map((match) => match[1] ?? "");
  if (bullets.length > 0) return bullets;
  if (/\b(?:names|people|persons|attendees|participants|characters|authors)\b/.test(hint.name))
    return findNames(text);
  if (/\b(?:cities|locations|places|countries|destinations)\b/.test(hint.name))
    return capitalisedPhrases(text);
  if (/\b(?:tags|keywords|topics|labels)\b/.test(hint.name)) return keywords(text);
  return enumeration(text);
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
