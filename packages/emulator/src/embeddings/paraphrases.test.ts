import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { languageOf } from "../language/detect-language.js";
import { embedText } from "./embed-text.js";

type Pair = [question: string, answer: string];

const FILE = new URL("../../everyday/paraphrases.yaml", import.meta.url);
const PAIRS = parse(readFileSync(FILE, "utf8")) as Record<string, Pair[]>;
const DIMENSIONS = 1_024;

/** The words of a text as they are; Chinese ones by two characters. */
function wordsOf(text: string): string[] {
  const characters = text.match(/\p{Script=Han}/gu) ?? [];
  const pairs = characters.slice(1).map((character, index) => `${characters[index]}${character}`);
  return [...new Set([...(text.toLowerCase().match(/[\p{Script=Latin}\d]+/gu) ?? []), ...pairs])];
}

/** How many questions find their answer by shared words, the rarer the better. */
function foundByWords(pairs: readonly Pair[]): number {
  const documents = pairs.map(([, answer]) => new Set(wordsOf(answer)));
  const rarity = (word: string) =>
    Math.log(1 + pairs.length / (1 + documents.filter((words) => words.has(word)).length));
  return foundBy(pairs, (question, index) =>
    wordsOf(question).reduce((sum, word) => sum + (documents[index]?.has(word) ? rarity(word) : 0), 0),
  );
}

function foundByVectors(pairs: readonly Pair[]): number {
  const answers = pairs.map(([, answer]) => embedText(answer, DIMENSIONS, 1));
  return foundBy(pairs, (question, index) => {
    const asked = embedText(question, DIMENSIONS, 1);
    return asked.reduce((sum, value, at) => sum + value * (answers[index]?.[at] ?? 0), 0);
  });
}

function foundBy(pairs: readonly Pair[], likeness: (question: string, answer: number) => number): number {
  return pairs.filter(([question], right) => {
    const scores = pairs.map((_pair, index) => likeness(question, index));
    return scores.every((score, index) => index === right || score < (scores[right] ?? 0));
  }).length;
}

it.each(Object.entries(PAIRS))(
  "what is said in other words is found in %s, and better than by words",
  (language, pairs) => {
    expect(pairs.map(([question]) => languageOf(question, pairs.flat().join(" ")))).toEqual(
      pairs.map(() => language),
    );
    const found = foundByVectors(pairs);
    expect(found).toBeGreaterThan(foundByWords(pairs));
  },
);
