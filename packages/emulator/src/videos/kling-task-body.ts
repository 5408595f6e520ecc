import type { Services } from "../api/services.js";
import type { VideoTask } from "../tasks/video-task.js";
import { type WrappedTask, type WrappedTaskBody, wrappedTaskBody } from "./wrapped-task-body.js";

/** What Kling says of a task, which is all that its callbacks carry: it also says what a success cost. */
export interface KlingTask extends WrappedTask {
  final_unit_deduction?: string;
}

/** A task as Kling shows it: in a wrapper, with what it cost. */
export function klingTaskBody(
  task: VideoTask,
  services: Services,
): Omit<WrappedTaskBody, "data"> & { data: KlingTask } {
  const { data, ...wrapper } = wrappedTaskBody(task, services);
  return { ...wrapper, data: task.status === "succeeded" ? { ...data, final_unit_deduction: "1" } : data };
}
