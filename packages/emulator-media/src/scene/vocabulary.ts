import { readAsset } from "../assets/asset-folder.js";
import { figureNames } from "./figures.js";
import { LANGUAGES, type Language, readSceneWords, type WordMeaning } from "./scene-words.js";

/** A part of a prompt that means something, or a word that means nothing to a picture. */
export interface Mark {
  text: string;
  meanings: readonly WordMeaning[];
}

/** Longer prompts are read up to here: no picture holds more, and the time stays small. */
const MAX_CHARACTERS = 2000;
const LONGEST_PHRASE = 4;
const LONGEST_CHINESE_WORD = 7;
const SHORTEST_GERMAN_HEAD = 4;

const HAN = /\p{Script=Han}/u;
const TOKENS = /\p{Script=Han}+|[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}'’-]*|[.,;:!?、，。；：！？\n]/gu;
const GERMAN_HINT =
  /[äöüß]|\b(?:der|die|das|ein|eine|einen|einem|einer|und|mit|auf|im|am|beim|nachts|zwei|drei|vier|fünf|rote[rsn]?|kein|keine)\b/giu;
const ENGLISH_HINT = /\b(?:the|an|a|and|with|on|at|in|of|two|three|four|five|red|blue|green|is|under)\b/gi;
const COLORED = /^(?:black|white|red|green|blue|orange|brown|yellow|purple)-/;
const BREAK: readonly WordMeaning[] = [{ kind: "break" }];

let vocabulary: Record<Language, Map<string, WordMeaning[]>> | undefined;

/** Cuts a prompt into marks, in its order. */
export function markPrompt(prompt: string): Mark[] {
  const text = prompt.normalize("NFC").slice(0, MAX_CHARACTERS);
  vocabulary ??= readVocabulary();
  const words = vocabulary;
  const language = languageOf(text);
  const tokens = text.match(TOKENS) ?? [];
  const marks: Mark[] = [];
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at] ?? "";
    if (HAN.test(token)) {
      marks.push(...markChinese(token, words.zh));
      at += 1;
      continue;
    }
    if (/^[^\p{L}\p{N}]/u.test(token)) {
      marks.push({ text: token, meanings: BREAK });
      at += 1;
      continue;
    }
    const { length, meanings } = findPhrase(tokens, at, words[language], language);
    marks.push({ text: tokens.slice(at, at + length).join(" "), meanings });
    at += length;
  }
  return marks;
}

/** German where its letters and small words prevail, else English; Chinese is told by its characters, in any text. */
function languageOf(text: string): "en" | "de" {
  const german = text.match(GERMAN_HINT)?.length ?? 0;
  return german > (text.match(ENGLISH_HINT)?.length ?? 0) ? "de" : "en";
}

function findPhrase(
  tokens: readonly string[],
  at: number,
  words: Map<string, WordMeaning[]>,
  language: "en" | "de",
): { length: number; meanings: readonly WordMeaning[] } {
  for (let length = Math.min(LONGEST_PHRASE, tokens.length - at); length > 0; length--) {
    const phrase = tokens
      .slice(at, at + length)
      .join(" ")
      .toLowerCase()
      .replaceAll("’", "'");
    const meanings = variants(phrase, language)
      .map((variant) => words.get(variant))
      .find((found) => found !== undefined);
    if (meanings) return { length, meanings };
  }
  const token = tokens[at] ?? "";
  const number = /^\d{1,2}$/.test(token) ? Number(token) : 0;
  if (number > 0) return { length: 1, meanings: [{ kind: "count", count: number }] };
  return { length: 1, meanings: language === "de" ? headOfCompound(token, words) : [] };
}

/** A word as it stands, then without the endings of plurals and cases. */
function variants(word: string, language: "en" | "de"): string[] {
  const found = [word];
  const without = (ending: string, instead = "") => {
    if (word.endsWith(ending) && word.length - ending.length >= 3) {
      found.push(word.slice(0, -ending.length) + instead);
    }
  };
  if (language === "en") {
    without("'s");
    without("s");
    without("es");
    without("ies", "y");
    without("ves", "f");
    return found;
  }
  for (const ending of ["n", "e", "en", "er", "ern", "es", "s"]) without(ending);
  const umlauts: Record<string, string> = { ä: "a", ö: "o", ü: "u" };
  return [
    ...found,
    ...found.map((variant) => variant.replace(/[äöü]/g, (letter) => umlauts[letter] ?? letter)),
  ];
}

/** A German compound is of the kind that its last part names. */
function headOfCompound(token: string, words: Map<string, WordMeaning[]>): readonly WordMeaning[] {
  if (!/^\p{Lu}/u.test(token)) return [];
  const word = token.toLowerCase();
  for (let start = 3; start <= word.length - SHORTEST_GERMAN_HEAD; start++) {
    for (const variant of variants(word.slice(start), "de")) {
      const meanings = variant.length >= SHORTEST_GERMAN_HEAD ? words.get(variant) : undefined;
      if (meanings?.some(({ kind }) => kind === "figure" || kind === "ground")) return meanings;
    }
  }
  return [];
}

function markChinese(run: string, words: Map<string, WordMeaning[]>): Mark[] {
  const marks: Mark[] = [];
  for (let at = 0; at < run.length; ) {
    let length = Math.min(LONGEST_CHINESE_WORD, run.length - at);
    while (length > 1 && !words.has(run.slice(at, at + length))) length -= 1;
    const text = run.slice(at, at + length);
    const meanings = words.get(text);
    const last = marks.at(-1);
    // Characters that mean nothing are kept together: they may be the name of something unknown.
    if (!meanings && last && last.meanings.length === 0) last.text += text;
    else marks.push({ text, meanings: meanings ?? [] });
    at += length;
  }
  return marks;
}

function readVocabulary(): Record<Language, Map<string, WordMeaning[]>> {
  const words = readSceneWords();
  const icons = readAsset<Record<string, { words: Partial<Record<Language, string>> }>>("icons.json");
  for (const [figure, icon] of Object.entries(icons)) {
    // Any cat can be painted black.
    if (COLORED.test(figure)) continue;
    for (const language of LANGUAGES) {
      const word = icon.words[language];
      if (word && !words[language].has(word)) words[language].set(word, [{ kind: "figure", figure }]);
    }
  }
  const known = new Set(figureNames());
  for (const language of LANGUAGES) {
    for (const [word, [meaning]] of words[language]) {
      if (meaning?.kind === "figure" && !known.has(meaning.figure)) words[language].delete(word);
    }
  }
  return words;
}
