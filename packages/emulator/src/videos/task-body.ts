import type { Services } from "../api/services.js";
import type { VideoTask } from "../tasks/video-task.js";
import { type FlatTaskBody, flatTaskBody } from "./flat-task-body.js";
import { type WrappedTaskBody, wrappedTaskBody } from "./wrapped-task-body.js";

/** A task as `GET` on its own endpoint shows it; callbacks carry the same. */
export function taskBody(task: VideoTask, services: Services): FlatTaskBody | WrappedTaskBody {
  return task.family === "content" ? flatTaskBody(task, services) : wrappedTaskBody(task, services);
}
