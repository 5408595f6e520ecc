import { PHRASES } from "../language/phrases/phrases.js";
import { splitSentences } from "../language/split-passages.js";
import { categoryNamedIn, classify, evidenceFor } from "./classify.js";
import { gistOf, sentencesOf } from "./gist.js";
import type { Task } from "./read-task.js";

/** Looks something up in the material of a task. */
export type LookUp = (question: string) => string | undefined;

const USUAL_SENTENCES = 2;
const USUAL_BULLETS = 4;
/** A summary that is as long as its text is none. */
const LONGEST_SUMMARY = 260;
const CHARACTER_WIDTH = 4;
const FEWEST_ITEMS = 3;

/** What comes of a task that is no question to be looked up; undefined for those. */
export function doTask(task: Task, lookUp: LookUp): string | undefined {
  const { instruction, material, labels, isYesOrNo, language } = task;
  if (material.trim() === "") return undefined;
  if (isYesOrNo) return yesOrNo(task);
  if (labels.length > 1) return classify(material, labels);
  if (task.bullets !== undefined) return bullets(task, lookUp);
  if (task.sentences !== undefined) return inSentences(task, task.sentences, lookUp);
  if (!task.wantsSummary) return undefined;
  if (/[?？]\s*$/.test(instruction) && !PHRASES[language].summary.test(instruction)) return undefined;
  return summary(material);
}

function yesOrNo({ instruction, material, language }: Task): string {
  const { yes, no } = PHRASES[language];
  const category = categoryNamedIn(instruction);
  return category !== undefined && evidenceFor(category, material.toLowerCase()) > 0 ? yes : no;
}

function summary(material: string): string {
  const sentences = gistOf(material, USUAL_SENTENCES);
  const kept: string[] = [];
  for (const sentence of sentences) {
    if (kept.length > 0 && widthOf([...kept, sentence].join(" ")) > LONGEST_SUMMARY) break;
    kept.push(sentence);
  }
  return joined(kept);
}

function inSentences({ instruction, material, wantsSummary }: Task, most: number, lookUp: LookUp): string {
  const isQuestion = /[?？]/.test(instruction) && !wantsSummary;
  const found = isQuestion ? (tellingSentence(instruction, material) ?? lookUp(instruction)) : undefined;
  const chosen = found === undefined ? gistOf(material, most) : splitSentences(found).slice(0, most);
  return joined(chosen);
}

/** What a text complains of, praises or asks for stands in the sentence with most words for that. */
function tellingSentence(instruction: string, material: string): string | undefined {
  const category = categoryNamedIn(instruction);
  if (category === undefined) return undefined;
  const scored = sentencesOf(material).map((text) => ({
    text,
    score: evidenceFor(category, text.toLowerCase()),
  }));
  const [best] = scored.sort((left, right) => right.score - left.score);
  return best !== undefined && best.score > 0 ? best.text : undefined;
}

function bullets(task: Task, lookUp: LookUp): string {
  const { material, bullets: wanted = 0, wantsSummary } = task;
  const items = wanted > 0 || wantsSummary ? [] : itemsFor(task, lookUp);
  const shown =
    items.length > 0
      ? items
      : gistOf(material, wanted || Math.min(USUAL_BULLETS, sentencesOf(material).length));
  return shown.map((item) => `- ${item}`).join("\n");
}

/** What the sentence lists that answers the question, or else the longest list there is. */
function itemsFor({ instruction, material, language }: Task, lookUp: LookUp): string[] {
  const { separator } = PHRASES[language];
  const found = lookUp(instruction);
  const lists = [...(found === undefined ? [] : [found]), ...sentencesOf(material)]
    .map((sentence) =>
      sentence
        .replace(/[.!?。！？]+$/, "")
        .split(separator)
        .map((item) => item.trim()),
    )
    .filter((items) => items.length >= FEWEST_ITEMS);
  return lists[0] ?? [];
}

function joined(sentences: readonly string[]): string {
  return sentences.reduce(
    (text, sentence) => text + (/[。！？]$/.test(text) || text === "" ? "" : " ") + sentence,
    "",
  );
}

/** Chinese says more with fewer characters. */
function widthOf(text: string): number {
  const characters = (text.match(/\p{Script=Han}/gu) ?? []).length;
  return text.length + characters * CHARACTER_WIDTH;
}
