export * from "./common.js";
export { createModerations } from "./moderations/create-moderations.js";
export type {
  ModerationAction,
  ModerationCategory,
  ModerationVerdict,
} from "./moderations/moderation-verdict.js";
export type {
  ClassifyOptions,
  ModerationRequest,
  ModerationResponse,
  ModerationResult,
  ModerationStrategy,
  Moderations,
} from "./moderations/moderations.js";
