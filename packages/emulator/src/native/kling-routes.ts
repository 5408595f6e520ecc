import type { Exchange, Route } from "../api/exchange.js";
import { Answer } from "../http/answer.js";
import type { VideoFamily } from "../tasks/video-task.js";
import { wrappedPromptText } from "../videos/create-wrapped-task.js";
import { klingTaskBody } from "../videos/kling-task-body.js";
import { checkKlingRequest } from "./check-kling-request.js";
import { findNativeTask } from "./find-native-task.js";
import { readPage } from "./read-page.js";
import { startNativeTask } from "./start-native-task.js";

/** The families that it has paths for, each with the models that make its videos. */
const ENDPOINTS = {
  text2video: ["image2video", "omni-video"],
  image2video: ["image2video"],
  "omni-video": ["omni-video"],
} as const;
const PAGES = {
  ...{ number: "pageNum", size: "pageSize", defaultSize: 30, mostNumber: 1_000, mostSize: 500 },
};

/** Where clients of Kling look for videos, beside what the API itself describes. */
export const klingRoutes: readonly Route[] = [
  // It takes more for a film that begins with a picture than the API describes.
  ...(["text2video", "image2video"] as const).map(
    (family): Route => ({
      method: "POST",
      path: `/v1/videos/${family}`,
      handle: createTask(family),
      promptTexts: (body) => [wrappedPromptText(body)],
      createsTask: true,
    }),
  ),
  {
    method: "GET",
    path: "/v1/videos/text2video/:task_id",
    handle: (exchange) =>
      Answer.json(klingTaskBody(findNativeTask(exchange, "text2video"), exchange.services)),
  },
  ...(Object.keys(ENDPOINTS) as (keyof typeof ENDPOINTS)[]).map(
    (family): Route => ({ method: "GET", path: `/v1/videos/${family}`, handle: listTasks(family) }),
  ),
];

function createTask(family: "text2video" | "image2video"): (exchange: Exchange) => Answer {
  return (exchange) => {
    const { model, video } = checkKlingRequest(exchange, family);
    const task = startNativeTask(exchange, model, video, ENDPOINTS[family]);
    return Answer.json(klingTaskBody(task, exchange.services));
  };
}

/** The tasks of the caller that one endpoint made, the newest first. */
function listTasks(family: VideoFamily): (exchange: Exchange) => Answer {
  return ({ url, key, services }) => {
    const found = services.tasks.list({ key: key.key, family }).reverse();
    const data = readPage(url, PAGES)
      .of(found)
      .map((task) => klingTaskBody(task, services).data);
    return Answer.json({ code: 0, message: "SUCCEED", request_id: `request_list_${family}`, data });
  };
}
