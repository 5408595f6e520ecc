import type { Services } from "../api/services.js";
import { isTerminal, type VideoTask } from "../tasks/video-task.js";
import { type FlatTaskBody, flatTaskBody } from "./flat-task-body.js";
import { publishTaskFile, VIDEO_FILE } from "./render-task-file.js";
import { type WrappedTask, wrappedTaskBody } from "./wrapped-task-body.js";

/** A task in the shape of a route. */
type Shape = (task: VideoTask, services: Services) => object;

/** Shapes of one route: of what `GET` shows, of what a new task is answered with, and of what callbacks carry. */
export interface TaskShapes {
  shown: Shape;
  created: Shape;
  called: Shape;
}

const BAILIAN_WORDS = {
  ...{ queued: "PENDING", running: "RUNNING", succeeded: "SUCCEEDED", failed: "FAILED", expired: "UNKNOWN" },
} as const;
const NEW_API_WORDS = {
  ...{
    queued: "queued",
    running: "in_progress",
    succeeded: "completed",
    failed: "failed",
    expired: "failed",
  },
} as const;
const NEW_API_TASK_WORDS = {
  ...{
    queued: "QUEUED",
    running: "IN_PROGRESS",
    succeeded: "SUCCESS",
    failed: "FAILURE",
    expired: "FAILURE",
  },
} as const;
const RUNNING_PROGRESS = 30;
const SECONDS = 1_000;

const isFlat = ({ family }: VideoTask) => family === "content";

function described(task: VideoTask, services: Services): object {
  return isFlat(task) ? flatTaskBody(task, services) : wrappedTaskBody(task, services);
}

function created(task: VideoTask, services: Services): object {
  // The description names `task_id` without saying where: it stands inside the wrapper and above it.
  return isFlat(task) ? { id: task.id } : { ...wrappedTaskBody(task, services), task_id: task.id };
}

/** Flat tasks with their files in `content`, and no progress. */
function ark(task: VideoTask, services: Services): object {
  if (!isFlat(task)) return wrappedTaskBody(task, services);
  const { output, last_frame_url, progress: _progress, ...rest }: FlatTaskBody = flatTaskBody(task, services);
  return {
    ...rest,
    ...(output && { content: { ...output, ...(last_frame_url !== undefined && { last_frame_url }) } }),
    service_tier: "default",
  };
}

/** Wrapped tasks with what they cost, and callbacks without the wrapper. */
function klingTask(task: VideoTask, services: Services): WrappedTask & { final_unit_deduction?: string } {
  const { data } = wrappedTaskBody(task, services);
  return task.status === "succeeded" ? { ...data, final_unit_deduction: "1" } : data;
}

function kling(task: VideoTask, services: Services): object {
  if (isFlat(task)) return flatTaskBody(task, services);
  return { ...wrappedTaskBody(task, services), data: klingTask(task, services) };
}

/** Tasks of all kinds in `output`, with words in capitals. */
function bailian(task: VideoTask, services: Services): object {
  const { settings, status, error } = task;
  const isDone = status === "succeeded";
  return {
    request_id: `request_${task.id}`,
    output: {
      task_id: task.id,
      task_status: BAILIAN_WORDS[status],
      submit_time: localTime(task.createdAt),
      orig_prompt: settings.prompt,
      ...(isTerminal(status) && { end_time: localTime(task.updatedAt) }),
      ...(isDone && { video_url: publishTaskFile(services, task, VIDEO_FILE) }),
      ...(error && { code: error.code, message: error.message }),
    },
    ...(isDone && {
      usage: {
        ...{ duration: settings.durationSeconds, video_count: 1 },
        size: `${settings.width}*${settings.height}`,
      },
    }),
  };
}

/** Flat tasks as the videos of one wire format; wrapped ones twice wrapped, the upstream's inside. */
function newapi(task: VideoTask, services: Services): object {
  const { status, error, settings } = task;
  const isOver = isTerminal(status);
  const url = status === "succeeded" ? publishTaskFile(services, task, VIDEO_FILE) : undefined;
  const progress = isOver ? 100 : status === "running" ? RUNNING_PROGRESS : 0;
  if (!isFlat(task)) {
    return {
      ...{ code: "success", message: "" },
      data: {
        ...{ task_id: task.id, status: NEW_API_TASK_WORDS[status], progress: `${progress}%` },
        fail_reason: error?.message ?? "",
        ...(url !== undefined && { result_url: url }),
        ...{ submit_time: seconds(task.createdAt), start_time: seconds(task.startedAt ?? 0) },
        finish_time: isOver ? seconds(task.updatedAt) : 0,
        data: kling(task, services),
      },
    };
  }
  return {
    ...{
      id: task.id,
      task_id: task.id,
      object: "video",
      model: task.model,
      status: NEW_API_WORDS[status],
      progress,
    },
    created_at: seconds(task.createdAt),
    ...(isOver && { completed_at: seconds(task.updatedAt) }),
    ...{ seconds: String(settings.durationSeconds), size: `${settings.width}x${settings.height}` },
    ...(url !== undefined && { metadata: { url } }),
    ...(error && { error: { message: error.message, code: error.code } }),
  };
}

const SHAPES: Record<Services["profile"]["tasks"], TaskShapes> = {
  spec: { shown: described, created, called: described },
  ark: { shown: ark, created, called: ark },
  kling: {
    shown: kling,
    created: (task, services) => (isFlat(task) ? { id: task.id } : kling(task, services)),
    called: (task, services) => (isFlat(task) ? flatTaskBody(task, services) : klingTask(task, services)),
  },
  bailian: { shown: bailian, created: bailian, called: bailian },
  newapi: {
    shown: newapi,
    created: (task, services) =>
      isFlat(task) ? newapi(task, services) : { id: task.id, task_id: task.id, object: "video" },
    called: newapi,
  },
};

/** The shapes that the profile has. */
export function shapesOf({ profile }: Services): TaskShapes {
  return SHAPES[profile.tasks];
}

function seconds(ms: number): number {
  return Math.floor(ms / SECONDS);
}

function localTime(ms: number): string {
  return new Date(ms).toISOString().replace("T", " ").slice(0, 23);
}
