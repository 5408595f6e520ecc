import { conceptOfPhrase, conceptsOfCharacters, conceptsOfStem } from "./concept-lexicon.js";
import { remembered } from "./remembered.js";
import { stem } from "./stem.js";

const STOP_WORDS = new Set(
  (
    "a an the of in to on at by for from with and or but not no is are was were be been being am do does did how what which " +
    "who whom whose when where why can could should would will may might must shall i you he she it we they me him her us " +
    "them my your our their its his hers this that these those there here as if then than so such into about over under " +
    "up down out off any all each some more most other only own same too very just also has have had having one per " +
    "please tell give get let many much long s t d ll re ve m " +
    // German ones that are no English words with a meaning of their own.
    "der die das den dem des ein eine einen einem einer eines und oder ist sind sie ich du er es wir ihr mich mir dich dir uns " +
    "euch sich kann kannst können muss wird werden wurde wurden haben habe hast nicht kein keine mit für auf von vom zum zur bei " +
    "aus nach im als auch wie wann wo wer wem wen warum welche welcher welches wieso zu ob nur noch schon bitte viel viele dass"
  ).split(" "),
);

/** A run of characters of a script that puts no spaces between words. */
export const CJK = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;
const CJK_STOP = /^[的了是在我你他她它们这那吗呢吧啊和与及或被把给对从到有个么什怎哪请问一]+$/;
const WORD_OR_CJK_RUN = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|[\p{L}\p{N}_]+/gu;

// Weights of the kinds of evidence, found by trying them on questions and documents.
const STOP_WORD_WEIGHT = 0.06;
const CONCEPT_WEIGHT = 1.6;
const NGRAM_WEIGHT = 0.2;
const BIGRAM_WEIGHT = 0.5;
const CJK_CHARACTER_WEIGHT = 0.35;
const CJK_PAIR_WEIGHT = 0.9;
/** Those of a prompt, and of its parts. */
const MOST_TEXTS = 64;
const MOST_WORDS = 2_000;

/** The words of a text, lower-case, with CJK runs whole. */
export const wordsOf = remembered(readWords, MOST_TEXTS);

function readWords(text: string): readonly string[] {
  return text.normalize("NFKC").toLowerCase().match(WORD_OR_CJK_RUN) ?? [];
}

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

/** The weighted evidence in a text: stems, concepts, parts of words, neighbours. Order and repetition fade. */
export const textFeatures = remembered(readFeatures, MOST_TEXTS);

function readFeatures(text: string): ReadonlyMap<string, number> {
  const features = new Map<string, number>();
  const add = (feature: string, weight: number) =>
    features.set(feature, (features.get(feature) ?? 0) + weight);
  let previousStem: string | undefined;
  let previousContent: string | undefined;
  for (const word of wordsOf(text)) {
    if (CJK.test(word)) {
      addCharacters(word, add);
      previousStem = undefined;
      previousContent = undefined;
      continue;
    }
    const wordStem = stem(word);
    const phrase = previousStem === undefined ? undefined : conceptOfPhrase(previousStem, wordStem);
    if (phrase !== undefined) add(`k:${phrase}`, CONCEPT_WEIGHT);
    previousStem = wordStem;
    if (isStopWord(word)) {
      add(`s:${word}`, STOP_WORD_WEIGHT);
      continue;
    }
    for (const [feature, weight] of evidenceOf(word)) add(feature, weight);
    if (previousContent !== undefined) add(`b:${previousContent} ${wordStem}`, BIGRAM_WEIGHT);
    previousContent = wordStem;
  }
  for (const [feature, weight] of features) features.set(feature, Math.log2(1 + weight));
  return features;
}

/** The evidence that one word is, in the order in which it counts. */
const evidenceOf = remembered((word: string): readonly (readonly [feature: string, weight: number])[] => {
  const wordStem = stem(word);
  // Longer words are rarer: a stand-in for document frequencies, which a single text does not have.
  const evidence: [string, number][] = [[`w:${wordStem}`, Math.min(1.6, 0.7 + 0.1 * word.length)]];
  const concepts = conceptsOfStem(wordStem);
  for (const concept of concepts)
    evidence.push([`k:${concept}`, CONCEPT_WEIGHT / Math.sqrt(concepts.length)]);
  const framed = `^${wordStem}$`;
  for (let size = 3; size <= 4; size++) {
    for (let start = 0; start + size <= framed.length; start++) {
      evidence.push([`g:${framed.slice(start, start + size)}`, NGRAM_WEIGHT / Math.sqrt(framed.length)]);
    }
  }
  return evidence;
}, MOST_WORDS);

function addCharacters(run: string, add: (feature: string, weight: number) => void): void {
  for (let index = 0; index < run.length; index++) {
    const character = run.charAt(index);
    const pair = run.slice(index, index + 2);
    const stop = CJK_STOP.test(character);
    add(`c:${character}`, stop ? STOP_WORD_WEIGHT : CJK_CHARACTER_WEIGHT);
    if (pair.length === 2) add(`p:${pair}`, CJK_STOP.test(pair) ? STOP_WORD_WEIGHT : CJK_PAIR_WEIGHT);
  }
  for (const concept of conceptsOfCharacters(run)) add(`k:${concept}`, CONCEPT_WEIGHT);
}

/** Cosine of two feature sets, from -1 to 1; 0 when one is empty. */
export function similarity(left: ReadonlyMap<string, number>, right: ReadonlyMap<string, number>): number {
  const [small, large] = left.size <= right.size ? [left, right] : [right, left];
  let product = 0;
  for (const [feature, weight] of small) product += weight * (large.get(feature) ?? 0);
  const norms = norm(left) * norm(right);
  return norms === 0 ? 0 : product / norms;
}

function norm(features: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const weight of features.values()) sum += weight * weight;
  return Math.sqrt(sum);
}
