import { conceptOfPhrase, conceptsOfCharacters, conceptsOfStem } from "../language/concept-lexicon.js";
import { type Language, languageOf } from "../language/detect-language.js";
import { PHRASES } from "../language/phrases/phrases.js";
import { type Passage, splitPassages } from "../language/split-passages.js";
import { stem } from "../language/stem.js";
import { CJK, isStopWord, similarity, textFeatures, wordsOf } from "../language/text-features.js";
import type { Source } from "./read-conversation.js";
import { shortenPassage } from "./shorten-passage.js";

/** A passage as it was weighed. */
export interface WeighedPassage {
  text: string;
  score: number;
  /** Share of the question's terms that it covers, 0 to 1. */
  coverage: number;
  /** Whether the answer holds it. */
  isQuoted: boolean;
}

/** An answer made of sentences that were given. */
export interface GroundedAnswer {
  text: string;
  /** Share of the question's terms that the sentences cover, 0 to 1. */
  coverage: number;
  /** How many passages were weighed. */
  considered: number;
  /** The best of them, the best first. */
  best: WeighedPassage[];
}

/** Something the question is about. */
interface Term {
  /** Any of these in a passage matches the term. */
  keys: string[];
  weight: number;
}

/** Words about where to look, which are no part of what is asked. */
const REFERENCE =
  /\b(?:given|according to|based on|using|in|from) (?:the|this|that|these|those)(?: \w+){0,2}? (?:context|articles?|documents?|text|passages?|information|sources?|above)\b,?|\b(?:given|according to|based on) (?:the|this|that|these) (?:context|articles?|documents?|text|passages?|information|sources?)\b,?|^given this[^,?]{0,30},/gi;
const NAMED = /(?<=[\p{L}\p{N},;:'"”)] )(?:the )?["“(]?(\p{Lu}[\p{L}\p{N}]+)|\b([\p{L}-]*\d[\p{L}\d.-]*)/gu;
const NUMBERED = /\b([\p{L}-]*\d[\p{L}\d.-]*)/gu;
const MIN_COVERAGE = 0.3;
/** Names and numbers that the material lacks make a near match a wrong answer. */
const MIN_COVERAGE_WITHOUT_NAMES = 0.6;
const SPECIFIC_WEIGHT = 2;
const HISTORY_PENALTY = 0.85;
const KEEP_SHARE = 0.8;
const MAX_SENTENCES = 3;
const LONGEST_QUOTE = 300;
const CODE_PENALTY = 0.8;
/** Questions that a line of code may be the very answer to. */
const WANTS_CODE = /\b(?:install|commands?|run|start|import|code|example|snippet)\b|安装|命令|代码/i;
/** How much the rare words of a question count beside the likeness of the whole. */
const RARITY_WEIGHT = 1.5;
/** For a table row whose first cell is what the question names. */
const ROW_KEY_BONUS = 0.35;
/** A related word is not quite the word. */
const RELATED_SHARE = 0.85;
/** What stands at the beginning of a paragraph is what the rest of it is about, surely where that says `it`. */
const TOPIC_SHARE = 0.6;
const LEANING_SHARE = 0.9;
const LEANING =
  /^(?:it|its|they|their|he|his|she|her|this|these|es|er|sie|ihre?|seine?|diese[rs]?)(?!\p{L})|^[它他她其]/iu;
const NOTHING: ReadonlySet<string> = new Set();
/** Letters that forms of a word, and words of one family, share at least. */
const FAMILY_LETTERS = 5;
const SHOWN_PASSAGES = 5;

/** Looks the answer to a question up in the sources; undefined when they do not hold it. */
export function groundAnswer(question: string, sources: readonly Source[]): GroundedAnswer | undefined {
  const passages = collectPassages(question, sources);
  if (passages.length === 0) return undefined;
  const asked = question.replace(REFERENCE, " ");
  const language = languageOf(asked);
  const terms = questionTerms(asked.replace(PHRASES[language].questionWords, " "), language);
  if (terms.length === 0) return undefined;
  const total = terms.reduce((sum, term) => sum + term.weight, 0);
  const missesName = terms.some(
    (term) => term.weight === SPECIFIC_WEIGHT && !passages.some((passage) => isIn(term, passage)),
  );
  const required = missesName ? MIN_COVERAGE_WITHOUT_NAMES : MIN_COVERAGE;
  const questionFeatures = textFeatures(question);
  const questionWords = new Set(wordsOf(question));

  // Words that few passages hold tell them apart; those that stand everywhere say little.
  const rarities = new Map(terms.map((term) => [term, rarityOf(term, passages)] as const));
  const rarity = (term: Term) => rarities.get(term) ?? 0;
  const totalRarity = terms.reduce((sum, term) => sum + term.weight * rarity(term), 0);

  const ranked = passages
    .map((passage) => {
      const shares = terms.map((term) => shareOf(term, passage));
      const matched = terms.filter((_term, index) => (shares[index] ?? 0) > 0);
      const coverage =
        terms.reduce((sum, term, index) => sum + term.weight * Math.ceil(shares[index] ?? 0), 0) / total;
      return { passage, shares, matched, coverage };
    })
    .filter(
      ({ coverage, matched, passage }) => coverage >= required && matched.some((term) => isIn(term, passage)),
    )
    .map(({ passage, shares, matched, coverage }) => {
      const matchedRarity = terms.reduce(
        (sum, term, index) => sum + term.weight * rarity(term) * (shares[index] ?? 0),
        0,
      );
      const named = isNamed(passage, questionWords) ? ROW_KEY_BONUS : 0;
      const score =
        ((RARITY_WEIGHT * matchedRarity) / totalRarity +
          similarity(questionFeatures, textFeatures(passage.text)) +
          named) *
        passage.weight;
      return { passage, matched, coverage, score };
    })
    .sort((left, right) => right.score - left.score || left.passage.order - right.passage.order);
  const [best] = ranked;
  if (!best) return undefined;

  // What the best passage has and few others have is what the question is about.
  const rarest = Math.max(...best.matched.map(rarity));
  const essential = best.matched.filter((term) => rarity(term) === rarest);
  const chosen = ranked
    .filter(({ score }) => score >= KEEP_SHARE * best.score)
    .filter(({ matched }) => essential.some((term) => matched.includes(term)))
    .filter(({ passage }, index) => index === 0 || !overlaps(passage.text, best.passage.text))
    .slice(0, MAX_SENTENCES)
    .sort((left, right) => left.passage.order - right.passage.order);
  return {
    text: chosen.map(({ passage }) => shortenPassage(passage, questionFeatures, LONGEST_QUOTE)).join(" "),
    coverage: best.coverage,
    considered: passages.length,
    best: ranked.slice(0, SHOWN_PASSAGES).map((entry) => ({
      text: entry.passage.text,
      score: entry.score,
      coverage: entry.coverage,
      isQuoted: chosen.includes(entry),
    })),
  };
}

/** How much of a term a passage has: a related word is not quite the word, and what it is about may stand before it. */
function shareOf(term: Term, { keys, topic, isLeaning }: IndexedPassage): number {
  const found = term.keys.filter((key) => keys.has(key));
  if (found.some((key) => !/^[kx]:/.test(key))) return 1;
  if (found.length > 0) return RELATED_SHARE;
  if (!term.keys.some((key) => topic.has(key) && !key.startsWith("x:"))) return 0;
  return isLeaning ? LEANING_SHARE : TOPIC_SHARE;
}

function isIn(term: Term, { keys }: IndexedPassage): boolean {
  return term.keys.some((key) => keys.has(key));
}

function isNamed({ rowKey }: IndexedPassage, questionWords: ReadonlySet<string>): boolean {
  const words = wordsOf(rowKey ?? "");
  return words.length > 0 && words.every((word) => questionWords.has(word));
}

/** A list stands among the passages as a whole and by its items. */
function overlaps(left: string, right: string): boolean {
  return left.includes(right) || right.includes(left);
}

interface IndexedPassage extends Passage {
  order: number;
  weight: number;
  /** Stems, concepts and character pairs of the passage and its heading. */
  keys: Set<string>;
  /** Those of the sentence that its paragraph begins with. */
  topic: ReadonlySet<string>;
  /** Speaks of what was named before: `It weighs …`. */
  isLeaning: boolean;
}

function collectPassages(question: string, sources: readonly Source[]): IndexedPassage[] {
  const asked = question.trim();
  const wantsCode = WANTS_CODE.test(question);
  const seen = new Set<string>();
  const passages: IndexedPassage[] = [];
  for (const { text, origin } of sources) {
    let topic: ReadonlySet<string> = NOTHING;
    let paragraph: number | undefined;
    for (const passage of splitPassages(text)) {
      if (passage.text === asked || seen.has(passage.text)) continue;
      seen.add(passage.text);
      const keys = new Set(keysOf(`${passage.heading} ${passage.text}`));
      const isLeaning = LEANING.test(passage.text);
      if (passage.paragraph !== paragraph) topic = keys;
      paragraph = passage.paragraph;
      passages.push({
        ...passage,
        text: origin === "history" ? quoteFromHistory(passage.text) : passage.text,
        order: passages.length,
        weight:
          (origin === "history" ? HISTORY_PENALTY : 1) * (passage.isCode && !wantsCode ? CODE_PENALTY : 1),
        keys,
        isLeaning,
        topic: topic === keys ? NOTHING : topic,
      });
    }
  }
  return passages;
}

/** What somebody said of themselves cannot be repeated in the first person. */
function quoteFromHistory(text: string): string {
  return /^(?:i|my|we|our|i'm|i've)\b/i.test(text) ? `You said: ${text}` : text;
}

function rarityOf(term: Term, passages: readonly IndexedPassage[]): number {
  const holders = passages.filter(({ keys }) => term.keys.some((key) => keys.has(key))).length;
  return Math.log(1 + passages.length / Math.max(1, holders)) / Math.log(1 + passages.length);
}

function questionTerms(question: string, language: Language): Term[] {
  // German writes every noun with a capital.
  const pattern = language === "de" ? NUMBERED : NAMED;
  const names = new Set(
    [...question.matchAll(pattern)].flatMap((match) => wordsOf(match[1] ?? match[2] ?? "")),
  );
  const terms: Term[] = [];
  let previous: string | undefined;
  for (const word of wordsOf(question)) {
    if (CJK.test(word)) {
      terms.push(...characterTerms(word));
      previous = undefined;
      continue;
    }
    const wordStem = stem(word);
    const phrase = previous === undefined ? undefined : conceptOfPhrase(previous, wordStem);
    previous = wordStem;
    if (phrase !== undefined) terms.push({ keys: [`k:${phrase}`], weight: 1 });
    if (isStopWord(word)) continue;
    const isName = names.has(word);
    terms.push({
      // A name is meant literally, even when it is also a word.
      keys: isName
        ? [`w:${wordStem}`]
        : [
            `w:${wordStem}`,
            ...conceptsOfStem(wordStem).map((concept) => `k:${concept}`),
            ...familyOf(wordStem),
          ],
      weight: isName ? SPECIFIC_WEIGHT : 1,
    });
  }
  return terms;
}

function familyOf(wordStem: string): string[] {
  const letters = wordStem.normalize("NFD").replace(/\p{M}/gu, "");
  return letters.length < FAMILY_LETTERS ? [] : [`x:${letters.slice(0, FAMILY_LETTERS)}`];
}

function characterTerms(run: string): Term[] {
  if (run.length === 1) return isStopWord(run) ? [] : [{ keys: [`c:${run}`], weight: 1 }];
  const concepts = conceptsOfCharacters(run).map((concept) => ({ keys: [`k:${concept}`], weight: 1 }));
  const pairs = keysOf(run).filter((key) => key.startsWith("p:"));
  // Pairs overlap, so each counts for half a term.
  return [...concepts, ...pairs.map((key) => ({ keys: [key], weight: concepts.length > 0 ? 0.25 : 0.5 }))];
}

function keysOf(text: string): string[] {
  const keys: string[] = [];
  let previous: string | undefined;
  for (const word of wordsOf(text)) {
    if (CJK.test(word)) {
      for (const feature of textFeatures(word).keys()) if (/^[cp]:/.test(feature)) keys.push(feature);
      for (const concept of conceptsOfCharacters(word)) keys.push(`k:${concept}`);
      previous = undefined;
      continue;
    }
    const wordStem = stem(word);
    const phrase = previous === undefined ? undefined : conceptOfPhrase(previous, wordStem);
    keys.push(`w:${wordStem}`, ...familyOf(wordStem));
    for (const concept of conceptsOfStem(wordStem)) keys.push(`k:${concept}`);
    if (phrase !== undefined) keys.push(`k:${phrase}`);
    previous = wordStem;
  }
  return keys;
}
