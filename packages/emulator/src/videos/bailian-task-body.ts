import type { Services } from "../api/services.js";
import { FRAMES_PER_SECOND } from "../tasks/video-dimensions.js";
import { isTerminal, type VideoTask, type VideoTaskStatus } from "../tasks/video-task.js";
import { publishTaskFile, VIDEO_FILE } from "./render-task-file.js";

/** The status words of Bailian. */
export const BAILIAN_WORDS = {
  queued: "PENDING",
  running: "RUNNING",
  succeeded: "SUCCEEDED",
  failed: "FAILED",
  expired: "UNKNOWN",
  cancelled: "CANCELED",
} as const satisfies Record<VideoTaskStatus, string>;

/** A task as Bailian shows it: all of it in `output`, whatever made it. */
export function bailianTaskBody(task: VideoTask, services: Services): object {
  const { settings, status, startedAt, error } = task;
  const { durationSeconds: duration, width, height } = settings;
  const isDone = status === "succeeded";
  return {
    request_id: `request_${task.id}`,
    output: {
      task_id: task.id,
      task_status: BAILIAN_WORDS[status],
      submit_time: localTime(task.createdAt),
      ...(startedAt !== undefined && { scheduled_time: localTime(startedAt) }),
      ...(isTerminal(status) && { end_time: localTime(task.updatedAt) }),
      orig_prompt: settings.prompt,
      ...(isDone && { video_url: publishTaskFile(services, task, VIDEO_FILE) }),
      ...(error && { code: error.code, message: error.message }),
    },
    ...(isDone && {
      usage: {
        ...{ duration, output_video_duration: duration, video_count: 1, fps: FRAMES_PER_SECOND },
        ...{ size: `${width}*${height}`, ratio: settings.ratio, SR: Math.min(width, height) },
      },
    }),
  };
}

/** How Bailian answers a request for a new task. */
export function newBailianTaskBody({ id, status }: VideoTask): object {
  return { request_id: `request_${id}`, output: { task_id: id, task_status: BAILIAN_WORDS[status] } };
}

function localTime(ms: number): string {
  return new Date(ms).toISOString().replace("T", " ").slice(0, 23);
}
