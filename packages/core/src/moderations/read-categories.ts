import { readObject } from "../json/read-json-value.js";
import {
  MODERATION_CATEGORIES,
  type ModerationCategory,
  type ModerationVerdict,
} from "./moderation-verdict.js";

/** A score from here on counts as found. */
export const FOUND_SCORE = 0.5;

/** First words of the names that other vocabularies give to our categories. */
const WORDS: Record<ModerationCategory, readonly string[]> = {
  hate: ["hate", "hateful"],
  harassment: ["harassment", "harassing", "bullying"],
  self_harm: ["self_harm", "selfharm", "suicide"],
  sexual: ["sexual", "nsfw", "porn", "pornography"],
  violence: ["violence", "violent"],
  illegal: ["illegal", "illicit", "criminal", "crime", "dangerous"],
  privacy: ["privacy", "pii", "personal_data", "personal_information"],
};

const NOTHING_FOUND = Object.fromEntries(
  MODERATION_CATEGORIES.map((category) => [category, false]),
) as Record<ModerationCategory, boolean>;

/** What an answer says of the categories, in our vocabulary. */
export interface CategoryReadings extends Pick<ModerationVerdict, "categories" | "scores"> {
  /** A category that has no counterpart among the seven was found. */
  unknownFound: boolean;
}

/**
 * Reads categories and scores in any vocabulary: `self-harm`, `hate/threatening`, `sexualMinors` fall under the
 * category they begin with. Several names of one category count as found if one is, with the highest score.
 *
 * @param found names to booleans, or a list of the names that were found
 * @param scores names to numbers
 */
export function readCategories(found: unknown, scores: unknown): CategoryReadings {
  const readings: CategoryReadings = {
    categories: { ...NOTHING_FOUND },
    scores: {},
    unknownFound: false,
  };
  const flags = Array.isArray(found)
    ? found.map((name) => [String(name), true] as const)
    : Object.entries(readObject(found) ?? {});
  for (const [name, value] of flags) {
    if (!isTrue(value)) continue;
    const category = categoryOf(name);
    if (category === undefined) readings.unknownFound = true;
    else readings.categories[category] = true;
  }
  for (const [name, value] of Object.entries(readObject(scores) ?? {})) {
    const category = categoryOf(name);
    if (category === undefined || typeof value !== "number" || !Number.isFinite(value)) continue;
    readings.scores[category] = Math.max(readings.scores[category] ?? 0, value);
  }
  return readings;
}

export function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === "true";
}

function categoryOf(name: string): ModerationCategory | undefined {
  const snake = name
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[^a-z]+/g, "_");
  return MODERATION_CATEGORIES.find((category) =>
    WORDS[category].some((word) => snake === word || snake.startsWith(`${word}_`)),
  );
}
