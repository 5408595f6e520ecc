import { CATEGORIES, type Category } from "../language/categories.js";
import { similarity, textFeatures } from "../language/text-features.js";

/** What turns praise into its opposite, right before it. */
const NEGATION =
  /(?:\b(?:not|never|no|isn't|wasn't|don't|didn't|nicht|kein|keine|nie)\b(?:\s+\p{L}+)?\s*|[不没])$/iu;
const OPPOSITES: Readonly<Record<string, string>> = { positive: "negative", negative: "positive" };
/** For a label that is taken when nothing speaks for another. */
const FALLBACKS = new Set(["other", "neutral"]);
const FALLBACK_SCORE = 0.05;
const LIKENESS_WEIGHT = 0.5;
/** Letters that forms of a word share. */
const FAMILY_LETTERS = 6;
const CUTOFF = /[\s\p{P}]/u;

/** The label that the text has most to say for. */
export function classify(text: string, labels: readonly string[]): string {
  const lower = text.toLowerCase();
  const features = textFeatures(text);
  const scored = labels.map((label, order) => {
    const category = categoryOf(label);
    const likeness = similarity(textFeatures(label), features) * LIKENESS_WEIGHT;
    const fallback = FALLBACKS.has(category?.names[0] ?? "") ? FALLBACK_SCORE : 0;
    return { label, order, score: (category ? evidenceFor(category, lower) : 0) + likeness + fallback };
  });
  scored.sort((left, right) => right.score - left.score || left.order - right.order);
  return scored[0]?.label ?? "";
}

/** The category that a sentence speaks of: `Is this message urgent?` */
export function categoryNamedIn(sentence: string): Category | undefined {
  const lower = sentence.toLowerCase();
  const words = lower.match(/\p{Script=Latin}{4,}/gu) ?? [];
  return (
    CATEGORIES.find(({ names }) =>
      names.some((name) => /\p{Script=Han}/u.test(name) && lower.includes(name)),
    ) ?? words.map(categoryOf).find((category) => category !== undefined)
  );
}

/** What a label names. */
export function categoryOf(label: string): Category | undefined {
  const wanted = label.toLowerCase().trim();
  return (
    CATEGORIES.find(({ names }) => names.includes(wanted)) ??
    CATEGORIES.find(({ names }) => names.some((name) => isFormOf(wanted, name)))
  );
}

/** How many cues of a category stand in a lower-case text; what is negated counts for the opposite. */
export function evidenceFor({ names, cues }: Category, lower: string): number {
  const opposite = OPPOSITES[names[0] ?? ""];
  const others = opposite === undefined ? undefined : categoryOf(opposite);
  const said = countCues([...names, ...cues], lower, false);
  return said + (others ? countCues([...others.names, ...others.cues], lower, true) : 0);
}

function countCues(cues: readonly string[], lower: string, negated: boolean): number {
  let count = 0;
  for (const cue of new Set(cues)) {
    for (let at = lower.indexOf(cue); at !== -1; at = lower.indexOf(cue, at + cue.length)) {
      // Chinese has no beginnings of words.
      const begins =
        /[^\p{L}]|\p{Script=Han}/u.test(cue[0] ?? "") || at === 0 || CUTOFF.test(lower[at - 1] ?? "");
      if (begins && NEGATION.test(lower.slice(Math.max(0, at - 16), at)) === negated) {
        count += 1;
        break;
      }
    }
  }
  return count;
}

function isFormOf(word: string, name: string): boolean {
  if (/\p{Script=Han}/u.test(name)) return word.includes(name);
  if (word.split(/\s+/).includes(name)) return true;
  const shared = Math.min(name.length, word.length, FAMILY_LETTERS);
  return shared >= 4 && word.slice(0, shared) === name.slice(0, shared);
}
