import type { Exchange, Route } from "../api/exchange.js";
import { Answer } from "../http/answer.js";
import { APIError } from "../http/api-error.js";
import { isTerminal, VIDEO_TASK_STATUSES } from "../tasks/video-task.js";
import { arkTaskBody } from "../videos/ark-task-body.js";
import { createVideoTask, videoPromptText } from "../videos/create-video-task.js";
import { retrieveVideoTask } from "../videos/retrieve-video-task.js";
import { findNativeTask } from "./find-native-task.js";
import { readPage } from "./read-page.js";

const TASKS = "/api/v3/contents/generations/tasks";
const PAGES = {
  ...{ number: "page_num", size: "page_size", defaultSize: 10, mostNumber: 500, mostSize: 500 },
};

/** Where clients of the Ark family look for videos. */
export const arkRoutes: readonly Route[] = [
  {
    method: "POST",
    path: TASKS,
    handle: createVideoTask,
    promptTexts: (body) => [videoPromptText(body)],
    createsTask: true,
  },
  { method: "GET", path: TASKS, handle: listTasks },
  { method: "GET", path: `${TASKS}/:task_id`, handle: retrieveVideoTask("content") },
  { method: "DELETE", path: `${TASKS}/:task_id`, handle: deleteTask },
];

/** The tasks of the caller, the newest first. */
function listTasks({ url, key, services }: Exchange): Answer {
  const page = readPage(url, PAGES);
  const status = url.searchParams.get("filter.status");
  const known = VIDEO_TASK_STATUSES.find((each) => each === status);
  if (status !== null && known === undefined) {
    throw APIError.badRequest(`filter.status must be one of ${VIDEO_TASK_STATUSES.join(", ")}.`);
  }
  const model = url.searchParams.get("filter.model") ?? undefined;
  const ids = new Set(url.searchParams.getAll("filter.task_ids"));
  const found = services.tasks
    .list({ key: key.key, family: "content", model, status: known })
    .filter(({ id }) => ids.size === 0 || ids.has(id))
    .reverse();
  return Answer.json({
    items: page.of(found).map((task) => arkTaskBody(task, services)),
    total: found.length,
  });
}

/** Cancels a task that waits, forgets one that has ended; nothing stops one that runs. */
function deleteTask(exchange: Exchange): Answer {
  const { tasks } = exchange.services;
  const { id, status } = findNativeTask(exchange, "content");
  if (status === "queued") {
    // Whoever is called back may take as long as they like.
    void tasks.cancel(id);
  } else if (isTerminal(status) && status !== "cancelled") {
    tasks.remove(id);
  } else {
    const code = status === "running" ? "task_is_running" : "task_is_cancelled";
    const message = `The task "${id}" is ${status}: only one that is queued can be cancelled, and one that succeeded, failed or expired deleted.`;
    throw new APIError(message, { status: 409, code });
  }
  return Answer.json({});
}
