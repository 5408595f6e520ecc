import type { Exchange } from "../api/exchange.js";
import { Answer } from "../http/answer.js";
import { APIError } from "../http/api-error.js";
import type { VideoFamily } from "../tasks/video-task.js";
import { shapesOf } from "./shaped-task.js";

/** `GET …/{task_id}` of a family: the task as it stands, to the key that created it. */
export function retrieveVideoTask(family: VideoFamily): (exchange: Exchange) => Answer {
  return ({ parameters, key, services }) => {
    const id = parameters["task_id"] ?? "";
    const task = services.tasks.find(family, key.key, id);
    if (!task) {
      throw APIError.notFound(`There is no ${family} video task "${id}" for this API key.`, "task_not_found");
    }
    return Answer.json(shapesOf(services).shown(task, services));
  };
}
