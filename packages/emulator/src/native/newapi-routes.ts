import type { Exchange, Route } from "../api/exchange.js";
import { checkImageInput } from "../checks/check-url.js";
import { Field } from "../checks/field.js";
import { Answer } from "../http/answer.js";
import { APIError } from "../http/api-error.js";
import { isRecord } from "../json/is-record.js";
import { fileResponse } from "../media/file-response.js";
import type { VideoTask } from "../tasks/video-task.js";
import { createVideoTask, videoPromptText } from "../videos/create-video-task.js";
import { wrappedPromptText } from "../videos/create-wrapped-task.js";
import { NEW_API_WORDS, newAPITaskBody, newAPIVideoBody } from "../videos/newapi-task-body.js";
import { publishTaskFile, VIDEO_FILE } from "../videos/render-task-file.js";
import { checkKlingRequest } from "./check-kling-request.js";
import { checkSeconds } from "./check-seconds.js";
import { findNativeTask } from "./find-native-task.js";
import { startNativeTask } from "./start-native-task.js";
import { checkVideoSize } from "./video-size.js";

const MODELS = ["content-video", "image2video", "omni-video"] as const;
const DURATION = { min: 1, max: 15, usual: 5 };

/** Where clients of new-api look for videos: its own paths, those of OpenAI's videos, and those that it has for Kling's clients. */
export const newAPIRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/v1/video/generations",
    handle: createTask,
    promptTexts: (body) => [wrappedPromptText(body)],
    createsTask: true,
    multipart: "also",
  },
  { method: "GET", path: "/v1/video/generations/:task_id", handle: shown(newAPITaskBody) },
  {
    method: "POST",
    path: "/v1/videos",
    handle: (exchange) => (hasContent(exchange.body) ? createVideoTask(exchange) : createTask(exchange)),
    promptTexts: (body) => [hasContent(body) ? videoPromptText(body) : wrappedPromptText(body)],
    createsTask: true,
    multipart: "also",
  },
  { method: "GET", path: "/v1/videos/:task_id", handle: shown(newAPIVideoBody) },
  { method: "GET", path: "/v1/videos/:task_id/content", handle: serveContent },
  ...(["text2video", "image2video"] as const).flatMap((family): Route[] => [
    {
      method: "POST",
      path: `/kling/v1/videos/${family}`,
      handle(exchange) {
        const { model, video } = checkKlingRequest(exchange, family);
        const task = startNativeTask(exchange, model, video, ["image2video", "omni-video"]);
        return Answer.json(newAPIVideoBody(task, exchange.services));
      },
      promptTexts: (body) => [wrappedPromptText(body)],
      createsTask: true,
    },
    { method: "GET", path: `/kling/v1/videos/${family}/:task_id`, handle: shown(newAPITaskBody) },
  ]),
];

/** A task of whatever family: which endpoint made it, new-api does not ask. */
function shown(bodyOf: (task: VideoTask, services: Exchange["services"]) => object) {
  return (exchange: Exchange) => Answer.json(bodyOf(findNativeTask(exchange), exchange.services));
}

/** Whether a body is that of the family `content`. */
function hasContent(body: unknown): boolean {
  return isRecord(body) && body["content"] !== undefined;
}

async function createTask(exchange: Exchange): Promise<Answer> {
  const field = Field.body(await withImageAsURL(exchange.body));
  const size = field.get("size").optional((each) => checkVideoSize(each, "x"));
  const duration = field.get("duration").present ? field.get("duration") : field.get("seconds");
  const images = field.get("images").optional((each) => each.items());
  const image = [field.get("image"), field.get("input_reference"), images?.[0]].find((each) => each?.present);
  const model = field.get("model").nonEmptyString() ?? "";
  const video = {
    prompt: field.get("prompt").nonEmptyString() ?? "",
    ...{ resolution: "720p" as const, ratio: "adaptive" as const, ...size },
    durationSeconds: duration.optional((each) => checkSeconds(each, DURATION)) ?? DURATION.usual,
    sound: true,
    firstFrame: image?.optional(checkImageInput),
  };
  field.finish();
  return Answer.json(newAPIVideoBody(startNativeTask(exchange, model, video, MODELS), exchange.services));
}

/** A picture that was uploaded, as the data URL that it could have been sent as. */
async function withImageAsURL(body: unknown): Promise<unknown> {
  if (!isRecord(body) || !(body["input_reference"] instanceof File)) return body;
  const { input_reference: file } = body;
  const base64 = Buffer.from(await file.arrayBuffer()).toString("base64");
  // Many say of a picture no more than that it is bytes.
  const type = file.type.startsWith("image/") ? file.type : "image/png";
  return { ...body, input_reference: `data:${type};base64,${base64}` };
}

/** The film itself, to the key that ordered it. */
async function serveContent(exchange: Exchange): Promise<Answer> {
  const { services, request } = exchange;
  const task = findNativeTask(exchange);
  if (task.status !== "succeeded") {
    const status = NEW_API_WORDS[task.status];
    throw APIError.badRequest(`Task is not completed yet, current status: ${status}.`, "task_not_completed");
  }
  publishTaskFile(services, task, VIDEO_FILE);
  return fileResponse(request, await services.files.read(`${task.id}/${VIDEO_FILE}`));
}
