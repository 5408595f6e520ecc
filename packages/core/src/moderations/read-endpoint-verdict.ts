import {
  MODERATION_CATEGORIES,
  type ModerationAction,
  type ModerationVerdict,
  strictest,
} from "./moderation-verdict.js";
import { type CategoryReadings, FOUND_SCORE, isTrue, readCategories } from "./read-categories.js";

/**
 * Reads the answer of `POST /moderations`. The endpoint knows `flagged` and scores, and no actions; per category:
 *
 * |             | score from 0.5, or none | score below 0.5 |
 * |-------------|-------------------------|-----------------|
 * | flagged     | block                   | review          |
 * | not flagged | review with a score     | allow           |
 *
 * A flagged category outside the seven, and `flagged` without any category, are `review`. The strictest counts.
 *
 * @returns undefined when the answer holds no judgement
 */
export function readEndpointVerdict(raw: unknown): ModerationVerdict | undefined {
  const { results } = (raw ?? {}) as { results?: unknown };
  if (!Array.isArray(results) || results.length === 0) return undefined;
  const verdicts = results.map(readResult);
  if (!verdicts.every((verdict) => verdict !== undefined)) return undefined;
  const { categories, scores } = mergeReadings(verdicts);
  return {
    // One by one: there may be more of them than a call takes arguments.
    action: verdicts.reduce<ModerationAction>(
      (action, verdict) => strictest(action, verdict.action),
      "allow",
    ),
    categories,
    scores,
    source: "endpoint",
    raw,
  };
}

type ResultReading = CategoryReadings & { action: ModerationAction };

function readResult(result: unknown): ResultReading | undefined {
  if (typeof result !== "object" || result === null) return undefined;
  const { flagged, categories, category_scores: scores } = result as Record<string, unknown>;
  const hasCategories = typeof categories === "object" && categories !== null;
  if (typeof flagged !== "boolean" && !hasCategories) return undefined;
  const readings = readCategories(categories, scores);
  if (!hasCategories && isTrue(flagged)) {
    for (const category of MODERATION_CATEGORIES) {
      readings.categories[category] = (readings.scores[category] ?? 0) >= FOUND_SCORE;
    }
  }
  const actions = MODERATION_CATEGORIES.map((category) =>
    judge(readings.categories[category], readings.scores[category]),
  );
  const doubt = readings.unknownFound || isTrue(flagged);
  return { ...readings, action: strictest(doubt ? "review" : "allow", ...actions) };
}

function judge(found: boolean, score: number | undefined): ModerationAction {
  if (found) return score === undefined || score >= FOUND_SCORE ? "block" : "review";
  return score !== undefined && score >= FOUND_SCORE ? "review" : "allow";
}

function mergeReadings(
  readings: readonly CategoryReadings[],
): Pick<CategoryReadings, "categories" | "scores"> {
  const merged = readCategories(undefined, undefined);
  for (const { categories, scores } of readings) {
    for (const category of MODERATION_CATEGORIES) {
      merged.categories[category] ||= categories[category];
      const score = scores[category];
      if (score !== undefined) merged.scores[category] = Math.max(merged.scores[category] ?? 0, score);
    }
  }
  return merged;
}
