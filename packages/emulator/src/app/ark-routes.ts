import type { Route } from "../api/exchange.js";
import { createVideoTask, videoPromptText } from "../videos/create-video-task.js";
import { retrieveVideoTask } from "../videos/retrieve-video-task.js";

/** What a route of the Ark family calls the endpoints of videos. */
export const arkRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/contents/generations/tasks",
    handle: createVideoTask,
    promptTexts: (body) => [videoPromptText(body)],
    createsTask: true,
  },
  { method: "GET", path: "/contents/generations/tasks/:task_id", handle: retrieveVideoTask("content") },
];
