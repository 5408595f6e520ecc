import type { VideoSeries } from "../state/model-table.js";
import type { FixedRatio, Resolution } from "./video-dimensions.js";

/** Which endpoint made the task; `text2video` is an upstream's own. */
export const VIDEO_FAMILIES = ["content", "image2video", "omni-video", "text2video"] as const;
export type VideoFamily = (typeof VIDEO_FAMILIES)[number];

/** The status words of the `/videos` family; the others have their own. Only upstreams' own endpoints cancel. */
export const VIDEO_TASK_STATUSES = [
  "queued",
  "running",
  "succeeded",
  "failed",
  "expired",
  "cancelled",
] as const;
export type VideoTaskStatus = (typeof VIDEO_TASK_STATUSES)[number];

/** A status of a task, and since when it has or had it, in milliseconds since the epoch on the emulator's clock. */
export interface VideoTaskStep {
  status: VideoTaskStatus;
  time: number;
}

export interface VideoTaskError {
  code: string;
  message: string;
}

/** What a task was asked for, with every default settled at creation. */
export interface VideoTaskSettings {
  prompt: string;
  resolution: Resolution;
  ratio: FixedRatio;
  width: number;
  height: number;
  durationSeconds: number;
  /** Seed of the picture; from the request where the model takes one. */
  seed: number;
  generateAudio: boolean;
  draft: boolean;
  returnLastFrame: boolean;
  /** Seconds of emulator time from creation until the task expires; infinite where the family has no such end. */
  executionExpiresAfter: number;
  callbackURL?: string;
  /** Pictures that the video begins and ends with: URLs, data URLs or Base64. */
  firstFrame?: string;
  lastFrame?: string;
}

/** A video task. Times are milliseconds since the epoch on the emulator's clock. */
export interface VideoTask {
  id: string;
  family: VideoFamily;
  /** The caller's own id, by which the task can be read too. */
  externalId?: string;
  /** The key that created it; no other key reads it. */
  key: string;
  model: string;
  /** Of the family `content`. */
  series?: VideoSeries;
  status: VideoTaskStatus;
  createdAt: number;
  updatedAt: number;
  /** What it was until now, the first first. */
  steps: VideoTaskStep[];
  /** When it started to run. */
  startedAt?: number;
  /** When it is to reach its end, had it started. */
  runningMs: number;
  error?: VideoTaskError;
  settings: VideoTaskSettings;
  /** Origin under which the client reached the emulator; result URLs start with it. */
  origin: string;
}

export function isTerminal(status: VideoTaskStatus): boolean {
  return status !== "queued" && status !== "running";
}
