import type { VideoSeries } from "../models/model-table.js";
import type { FixedRatio, Resolution } from "./video-dimensions.js";

/** The status words of the `/videos` family. */
export type VideoTaskStatus = "queued" | "running" | "succeeded" | "failed" | "expired";

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
  /** Seconds of emulator time from creation until the task expires. */
  executionExpiresAfter: number;
  callbackUrl?: string;
}

/** A task of the first video family. Times are milliseconds since the epoch on the emulator's clock. */
export interface VideoTask {
  id: string;
  /** The key that created it; no other key reads it. */
  key: string;
  model: string;
  series: VideoSeries;
  status: VideoTaskStatus;
  createdAt: number;
  updatedAt: number;
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
