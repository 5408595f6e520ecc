import type { Cost } from "../costs/cost.js";

/** The categories of the API description's moderation convention. */
export const MODERATION_CATEGORIES = [
  "hate",
  "harassment",
  "self_harm",
  "sexual",
  "violence",
  "illegal",
  "privacy",
] as const;

export type ModerationCategory = (typeof MODERATION_CATEGORIES)[number];

/** From the mildest to the strictest. */
export const MODERATION_ACTIONS = ["allow", "review", "block"] as const;

/** What to do with a text: let it pass, let a person look at it, or stop it. */
export type ModerationAction = (typeof MODERATION_ACTIONS)[number];

/** What `moderations.classify` makes of a text. */
export interface ModerationVerdict {
  action: ModerationAction;
  /** Which categories were found. */
  categories: Record<ModerationCategory, boolean>;
  /** 0 to 1, for the categories that were given one. */
  scores: Partial<Record<ModerationCategory, number>>;
  /** Whether `POST /moderations` or a chat model judged. */
  source: "endpoint" | "chat";
  /** What the call cost, where the client has `prices` and they, or the gateway, say. */
  cost?: Cost;
  /** The answer as it came; categories beyond the seven are found here. */
  raw: unknown;
}

export function strictest(...actions: readonly ModerationAction[]): ModerationAction {
  const rank = Math.max(0, ...actions.map((action) => MODERATION_ACTIONS.indexOf(action)));
  return MODERATION_ACTIONS[rank] ?? "block";
}
