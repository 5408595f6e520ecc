import type { Exchange } from "../api/exchange.js";
import { APIError } from "../http/api-error.js";
import type { VideoFamily, VideoTask } from "../tasks/video-task.js";

/** The task of the caller that the path names, of one family or of any. @throws APIError 404 when there is none */
export function findNativeTask(
  { parameters, key, services }: Pick<Exchange, "parameters" | "key" | "services">,
  family?: VideoFamily,
): VideoTask {
  const id = parameters["task_id"] ?? "";
  const task = services.tasks.find(family, key.key, id);
  if (task) return task;
  throw APIError.notFound(`There is no video task "${id.slice(0, 64)}" for this API key.`, "task_not_found");
}
