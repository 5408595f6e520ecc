import { splitPassages } from "../language/split-passages.js";
import { similarity, textFeatures } from "../language/text-features.js";

/** What is said first is what a text is about. */
const FIRST_BONUS = 0.2;
/** Leans on a sentence that may not be there. */
const LEANING =
  /^(?:it|they|he|she|this|that|these|then|others?|but|and|es|sie|er|das|dies|dann|andere|aber|und|它|他|她|这|那|其他|然后|但|而)(?!\p{L}{3})/iu;
const LEANING_FACTOR = 0.6;
/** Says nothing of the matter. */
const COURTESY =
  /^(?:hi|hello|dear|hallo|liebe|guten|best|regards|cheers|thanks|thank you|gruß|grüße|danke|大家好|您好|祝好|谢谢)\b[^.!?。！？]{0,30}$|\bsorry\b|entschuldig|抱歉|不便/i;
const COURTESY_FACTOR = 0.2;
const CLAUSE_END = /(?<=[,;，；])\s*|\s+(?=(?:and|but|und|aber)\s)/;

/** The sentences that say most of a text, in its order; clauses where it has too few sentences. */
export function gistOf(material: string, most: number): string[] {
  let parts = sentencesOf(material);
  if (parts.length < most) parts = parts.flatMap((sentence) => sentence.split(CLAUSE_END)).map(trimmed);
  const whole = textFeatures(material);
  return parts
    .map((text, order) => ({
      text,
      order,
      score: weightOf(text, order, similarity(whole, textFeatures(text))),
    }))
    .sort((left, right) => right.score - left.score || left.order - right.order)
    .slice(0, most)
    .sort((left, right) => left.order - right.order)
    .map(({ text }) => text);
}

/** The sentences of a text, without its headings and code. */
export function sentencesOf(material: string): string[] {
  return splitPassages(material)
    .filter(({ isCode, segments }) => !isCode && (segments === undefined || segments.length < 2))
    .map(({ text }) => trimmed(text))
    .filter((text) => text !== "");
}

function weightOf(text: string, order: number, likeness: number): number {
  const bonus = order === 0 ? FIRST_BONUS : 0;
  const leaning = LEANING.test(text) && order > 0 ? LEANING_FACTOR : 1;
  return (likeness + bonus) * leaning * (COURTESY.test(text) ? COURTESY_FACTOR : 1);
}

/** Without the quotes of a text that was given in them. */
function trimmed(text: string): string {
  return text.trim().replace(/^["„“「]+|["”“」]+$/g, "");
}
