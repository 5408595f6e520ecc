import type { Services } from "../api/services.js";
import type { VideoTask, VideoTaskStatus } from "../tasks/video-task.js";
import { publishTaskFile, VIDEO_FILE } from "./render-task-file.js";
import { countVideoTokens } from "./video-tokens.js";

/** The status words of the wrapped form. */
export type WrappedTaskStatus = "submitted" | "processing" | "succeed" | "failed";

const STATUS_WORDS: Record<VideoTaskStatus, WrappedTaskStatus> = {
  queued: "submitted",
  running: "processing",
  succeeded: "succeed",
  failed: "failed",
  // These tasks have no time-out of their own, and nobody cancels them.
  expired: "failed",
  cancelled: "failed",
};

/** What the wrapped form says of a task. */
export interface WrappedTask {
  task_id: string;
  task_status: WrappedTaskStatus;
  /** Why it failed. */
  task_status_msg?: string;
  task_info: { external_task_id?: string };
  /** Milliseconds since the epoch, as `updated_at`. */
  created_at: number;
  updated_at: number;
  /** Empty until the task has succeeded; `duration` is seconds as text. */
  /** Of a task that has succeeded. */
  usage?: { total_tokens: number };
  task_result: { videos?: { id: string; url: string; duration: string }[] };
}

/** The wrapper of the families `image2video` and `omni-video` around everything they answer. */
export interface WrappedTaskBody {
  code: number;
  message: string;
  request_id: string;
  data: WrappedTask;
}

/** A task in the wrapped form, as the API shows it now. */
export function wrappedTaskBody(task: VideoTask, services: Services): WrappedTaskBody {
  const data: WrappedTask = {
    task_id: task.id,
    task_status: STATUS_WORDS[task.status],
    task_info: task.externalId === undefined ? {} : { external_task_id: task.externalId },
    created_at: task.createdAt,
    updated_at: task.updatedAt,
    task_result: {},
  };
  if (task.error) data.task_status_msg = task.error.message;
  if (task.status === "succeeded") {
    const url = publishTaskFile(services, task, VIDEO_FILE);
    data.task_result = { videos: [{ id: task.id, url, duration: task.settings.durationSeconds.toFixed(1) }] };
    data.usage = { total_tokens: countVideoTokens(task.settings) };
  }
  return { code: 0, message: "SUCCEED", request_id: `request_${task.id}`, data };
}
