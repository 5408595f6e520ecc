import { languageOf } from "../language/detect-language.js";
import { PHRASES } from "../language/phrases/phrases.js";
import { splitSentences } from "../language/split-passages.js";
import type { Conversation } from "./read-conversation.js";

const FEWEST_ITEMS = 2;
const LONGEST_ITEM = 80;
const LONGEST_FOLLOW_UP = 160;

/**
 * What `the last one` is: the item of the list that was spoken of, with what was said of it. Of several lists the one that says
 * most of its items.
 */
export function listedItem({ question, sources }: Conversation): string | undefined {
  const phrases = PHRASES[languageOf(question)];
  const position = phrases.ordinals.find(([pattern]) => pattern.test(question))?.[1];
  if (position === undefined || question.length > LONGEST_FOLLOW_UP) return undefined;
  const lists = sources
    .filter(({ origin }) => origin !== "tool")
    .flatMap(({ text }) => splitSentences(text))
    .map((sentence) => itemsOf(sentence, phrases.separator))
    .filter((items) => items.length >= FEWEST_ITEMS && items.every((item) => item.length <= LONGEST_ITEM));
  const telling = lists.filter((items) => items.every((item) => /\d/.test(item)));
  return (telling[0] ?? lists[0])?.at(position);
}

/** The question with what was asked before, where it says `it`; undefined where it stands by itself. */
export function completedQuestion(question: string, earlier: string | undefined): string | undefined {
  const { pronoun } = PHRASES[languageOf(question)];
  if (earlier === undefined || question.length > LONGEST_FOLLOW_UP || !pronoun.test(question))
    return undefined;
  return `${question} ${earlier}`;
}

function itemsOf(sentence: string, separator: RegExp): string[] {
  const [head = "", ...rest] = sentence
    .replace(/[.!?。！？]+\s*$/, "")
    .split(separator)
    .map((item) => item.trim());
  const [, led = head] = /^.*[:：]\s*(.+)$/.exec(head) ?? [];
  return [led, ...rest].filter((item) => item !== "");
}
