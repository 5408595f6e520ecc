import { MODERATION_CATEGORIES, type ModerationCategory, moderationLexicon } from "./moderation-lexicon.js";

/** What is to be done about a text. */
export type ModerationAction = "allow" | "review" | "block";

/** What the lexicon makes of a text. */
export interface ModerationVerdict {
  action: ModerationAction;
  flagged: boolean;
  categories: Record<ModerationCategory, boolean>;
  /** 0 to 1. */
  scores: Record<ModerationCategory, number>;
}

const FLAGGED_FROM = 0.5;
const BLOCKED_FROM = 0.8;
const REVIEWED_FROM = 0.3;
const INNOCENT_SCORE = 0.001;
const LONGEST_TEXT = 100_000;

/** Judges a text by the phrases in it: each adds to what the others leave open. */
export function moderateText(text: string): ModerationVerdict {
  const read = text.slice(0, LONGEST_TEXT);
  const scores = byCategory((category) => {
    const doubt = moderationLexicon[category]
      .filter(({ pattern }) => pattern.test(read))
      .reduce((left, { weight }) => left * (1 - weight), 1 - INNOCENT_SCORE);
    return Number((1 - doubt).toFixed(4));
  });
  const categories = byCategory((category) => scores[category] >= FLAGGED_FROM);
  const highest = Math.max(...Object.values(scores));
  return {
    action: highest >= BLOCKED_FROM ? "block" : highest >= REVIEWED_FROM ? "review" : "allow",
    flagged: Object.values(categories).some(Boolean),
    categories,
    scores,
  };
}

function byCategory<T>(value: (category: ModerationCategory) => T): Record<ModerationCategory, T> {
  const entries = MODERATION_CATEGORIES.map((category) => [category, value(category)] as const);
  // The entries cover every category.
  return Object.fromEntries(entries) as Record<ModerationCategory, T>;
}
