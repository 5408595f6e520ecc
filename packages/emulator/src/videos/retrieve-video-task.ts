import { ApiError } from "../server/api-error.js";
import type { Exchange } from "../server/exchange.js";
import { videoTaskBody } from "./video-task-body.js";

/** `GET /videos/{task_id}`: the task as it stands, to the key that created it. */
export function retrieveVideoTask({ parameters, key, services }: Exchange): Response {
  const id = parameters["task_id"] ?? "";
  const task = services.tasks.get(id);
  if (!task || task.key !== key.key) {
    throw ApiError.notFound(`There is no video task "${id}" for this API key.`, "task_not_found");
  }
  return Response.json(videoTaskBody(task, services.files, services.clock.now()));
}
