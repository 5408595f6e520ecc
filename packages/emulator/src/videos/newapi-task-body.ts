import type { Services } from "../api/services.js";
import { isTerminal, type VideoTask, type VideoTaskStatus } from "../tasks/video-task.js";
import { arkTaskBody } from "./ark-task-body.js";
import { klingTaskBody } from "./kling-task-body.js";
import { publishTaskFile, VIDEO_FILE } from "./render-task-file.js";

const VIDEO_WORDS: Record<VideoTaskStatus, string> = {
  queued: "queued",
  running: "in_progress",
  succeeded: "completed",
  failed: "failed",
  expired: "failed",
  cancelled: "failed",
};
/** The words of new-api's own tasks. */
export const NEW_API_WORDS = {
  queued: "QUEUED",
  running: "IN_PROGRESS",
  succeeded: "SUCCESS",
  failed: "FAILURE",
  expired: "FAILURE",
  cancelled: "FAILURE",
} as const satisfies Record<VideoTaskStatus, string>;
const RUNNING_PROGRESS = 30;
const SECOND_MS = 1_000;

/** A task as new-api shows it as a video: in the wire format of OpenAI's, the URL in `metadata`. */
export function newAPIVideoBody(task: VideoTask, services: Services): object {
  const { id, model, status, error, settings } = task;
  return {
    ...{ id, task_id: id, object: "video", model },
    ...{ status: VIDEO_WORDS[status], progress: progressOf(status) },
    created_at: seconds(task.createdAt),
    ...(isTerminal(status) && { completed_at: seconds(task.updatedAt) }),
    ...{ seconds: String(settings.durationSeconds), size: `${settings.width}x${settings.height}` },
    ...(status === "succeeded" && { metadata: { url: publishTaskFile(services, task, VIDEO_FILE) } }),
    ...(error && { error: { message: error.message, code: error.code } }),
  };
}

/** A task as new-api shows it as one of its own: in a wrapper, the upstream's answer inside. */
export function newAPITaskBody(task: VideoTask, services: Services): object {
  const { status, error } = task;
  const isContent = task.family === "content";
  return {
    ...{ code: "success", message: "" },
    data: {
      ...{ task_id: task.id, status: NEW_API_WORDS[status], progress: `${progressOf(status)}%` },
      fail_reason: error?.message ?? "",
      ...(status === "succeeded" && { result_url: publishTaskFile(services, task, VIDEO_FILE) }),
      ...{ submit_time: seconds(task.createdAt), start_time: seconds(task.startedAt ?? 0) },
      finish_time: isTerminal(status) ? seconds(task.updatedAt) : 0,
      data: isContent ? arkTaskBody(task, services) : klingTaskBody(task, services),
    },
  };
}

function progressOf(status: VideoTaskStatus): number {
  if (isTerminal(status)) return 100;
  return status === "running" ? RUNNING_PROGRESS : 0;
}

function seconds(ms: number): number {
  return Math.floor(ms / SECOND_MS);
}
