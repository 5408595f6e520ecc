import type { Services } from "../api/services.js";
import type { VideoTask } from "../tasks/video-task.js";
import { type VideoTaskBody, videoTaskBody } from "./video-task-body.js";
import { type WrappedTaskBody, wrappedTaskBody } from "./wrapped-task-body.js";

/** A task as `GET` on its own endpoint shows it; callbacks carry the same. */
export function taskBody(task: VideoTask, services: Services): VideoTaskBody | WrappedTaskBody {
  return task.family === "content" ? videoTaskBody(task, services) : wrappedTaskBody(task, services);
}
