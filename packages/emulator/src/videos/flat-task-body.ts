import type { Services } from "../api/services.js";
import { FRAMES_PER_SECOND } from "../tasks/video-dimensions.js";
import { isTerminal, type VideoTask } from "../tasks/video-task.js";
import { LAST_FRAME_FILE, publishTaskFile, VIDEO_FILE } from "./render-task-file.js";
import { countVideoTokens } from "./video-tokens.js";

/** The status response of `GET /videos/{task_id}`; callbacks carry the same body. */
export interface FlatTaskBody {
  id: string;
  model: string;
  status: VideoTask["status"];
  /** 0 to 100. */
  progress: number;
  /** Seconds since the epoch, as `updated_at`. */
  created_at: number;
  updated_at: number;
  resolution: string;
  ratio: string;
  /** Seconds. */
  duration: number;
  framespersecond: number;
  generate_audio: boolean;
  draft?: boolean;
  seed?: number;
  execution_expires_after: number;
  output?: { video_url: string };
  last_frame_url?: string;
  usage?: { completion_tokens: number; total_tokens: number };
  error?: { code: string; message: string };
}

/** A task in the flat form, as the API shows it now. */
export function flatTaskBody(task: VideoTask, services: Services): FlatTaskBody {
  const { settings } = task;
  const body: FlatTaskBody = {
    id: task.id,
    model: task.model,
    status: task.status,
    progress: progressOf(task, services.clock.now()),
    created_at: Math.floor(task.createdAt / 1_000),
    updated_at: Math.floor(task.updatedAt / 1_000),
    resolution: settings.resolution,
    ratio: settings.ratio,
    duration: settings.durationSeconds,
    framespersecond: FRAMES_PER_SECOND,
    generate_audio: settings.generateAudio,
    execution_expires_after: settings.executionExpiresAfter,
  };
  if (task.series === "1.5-pro") {
    body.draft = settings.draft;
    body.seed = settings.seed;
  }
  if (task.error) body.error = task.error;
  if (task.status !== "succeeded") return body;

  body.output = { video_url: publishTaskFile(services, task, VIDEO_FILE) };
  if (settings.returnLastFrame) body.last_frame_url = publishTaskFile(services, task, LAST_FRAME_FILE);
  const tokens = countVideoTokens(settings);
  body.usage = { completion_tokens: tokens, total_tokens: tokens };
  return body;
}

function progressOf(task: VideoTask, now: number): number {
  if (task.status === "succeeded") return 100;
  if (task.startedAt === undefined) return 0;
  const until = isTerminal(task.status) ? task.updatedAt : now;
  const share = task.runningMs === 0 ? 1 : (until - task.startedAt) / task.runningMs;
  // 100 is kept for the success itself.
  return Math.min(99, Math.max(0, Math.floor(share * 100)));
}
