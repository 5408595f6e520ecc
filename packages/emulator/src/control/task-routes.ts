import { type Readers, readMembers } from "../checks/read-members.js";
import type { Emulator, EmulatorVideo } from "../emulator.js";
import { Answer } from "../http/answer.js";
import { APIError } from "../http/api-error.js";
import type { VideoFilter } from "../tasks/task-store.js";
import { VIDEO_FAMILIES, VIDEO_TASK_STATUSES } from "../tasks/video-task.js";
import { type ControlRoute, listResponse } from "./control-exchange.js";

const FILTER: Readers<VideoFilter> = {
  key: (field) => field.string(),
  model: (field) => field.string(),
  family: (field) => field.oneOf(VIDEO_FAMILIES),
  status: (field) => field.oneOf(VIDEO_TASK_STATUSES),
};

/** `/api/tasks`: the video tasks of every key, as their own endpoints show them, and ending them by hand. */
export const taskRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/api/tasks",
    handle: ({ emulator, query }) => listResponse(emulator.videos.list(readMembers(query, FILTER))),
  },
  {
    method: "GET",
    path: "/api/tasks/:id",
    handle: ({ emulator, parameters }) => Answer.json(requireTask(emulator, parameters["id"])),
  },
  {
    method: "GET",
    path: "/api/tasks/:id/timeline",
    handle: ({ emulator, parameters }) => listResponse(emulator.videos.timeline(parameters["id"] ?? "")),
  },
  {
    method: "POST",
    path: "/api/tasks/:id/succeed",
    handle: async ({ emulator, parameters }) => {
      const { id } = requireTask(emulator, parameters["id"]);
      await emulator.videos.succeed(id);
      return Answer.json(requireTask(emulator, id));
    },
  },
  {
    method: "POST",
    path: "/api/tasks/:id/fail",
    body: "optional",
    handle: async ({ emulator, parameters, body }) => {
      const { id } = requireTask(emulator, parameters["id"]);
      const { message } = readMembers<{ message: string }>(body, {
        message: (field) => field.nonEmptyString(),
      });
      await emulator.videos.fail(id, message);
      return Answer.json(requireTask(emulator, id));
    },
  },
];

function requireTask(emulator: Emulator, wanted = ""): EmulatorVideo {
  const task = emulator.videos.list().find(({ id }) => id === wanted);
  if (!task) throw APIError.notFound(`There is no video task "${wanted.slice(0, 64)}".`);
  return task;
}
