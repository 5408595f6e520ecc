import type { Exchange } from "../api/exchange.js";
import { requireModel } from "../api/require-model.js";
import { Field } from "../checks/field.js";
import { Answer } from "../http/answer.js";
import { APIError } from "../http/api-error.js";
import { isRecord } from "../json/is-record.js";
import { hashText } from "../language/hash-text.js";
import { stripPromptMarkers } from "../language/prompt-markers.js";
import { readImageSize } from "../media/read-image-size.js";
import { type Ratio, type Resolution, videoDimensions } from "../tasks/video-dimensions.js";
import type { VideoTaskSettings } from "../tasks/video-task.js";
import { checkImageToVideoRequest, checkOmniVideoRequest } from "./check-wrapped-request.js";
import { shapesOf } from "./shaped-task.js";
import { startVideoTask } from "./start-video-task.js";

const RESOLUTION_OF_MODE: Record<"std" | "pro", Resolution> = { std: "720p", pro: "1080p" };

/** What of a request makes the video. */
interface WrappedVideo {
  prompt: string;
  mode: "std" | "pro";
  durationSeconds: number;
  callbackURL?: string;
  externalId?: string;
  ratio: Ratio;
  sound: boolean;
  firstFrame?: string;
  lastFrame?: string;
}

/** `POST /videos/image2video`: starts a task that begins with a picture. */
export function createImageToVideoTask(exchange: Exchange): Answer {
  return createTask(exchange, "image2video", (body) => {
    const { image, ...request } = checkImageToVideoRequest(body);
    return { ...request, firstFrame: image, ratio: "adaptive" };
  });
}

/** `POST /videos/omni-video`: starts a task from text, pictures and videos. */
export function createOmniVideoTask(exchange: Exchange): Answer {
  return createTask(exchange, "omni-video", (body) => {
    const { aspectRatio, ...request } = checkOmniVideoRequest(body);
    return { ...request, sound: false, ratio: aspectRatio ?? "adaptive" };
  });
}

/** The prompt of a create request, checked or not, in which prompt markers count. */
export function wrappedPromptText(body: unknown): string {
  const prompt = isRecord(body) ? body["prompt"] : undefined;
  return typeof prompt === "string" ? prompt : "";
}

function createTask(
  exchange: Exchange,
  family: "image2video" | "omni-video",
  check: (body: Field) => WrappedVideo,
): Answer {
  const { body, key, services } = exchange;
  const field = Field.body(body);
  const modelId = field.get("model_name").nonEmptyString();
  if (modelId === undefined) field.finish();
  const model = requireModel(exchange, modelId ?? "", family);
  const video = check(field);
  const { externalId } = video;
  if (externalId !== undefined && services.tasks.find(family, key.key, externalId)) {
    throw APIError.badRequest(`external_task_id "${externalId.slice(0, 64)}" already names another task.`);
  }
  const prompt = stripPromptMarkers(video.prompt);
  const resolution = RESOLUTION_OF_MODE[video.mode];
  const settings: VideoTaskSettings = {
    prompt,
    resolution,
    ...videoDimensions(resolution, video.ratio, readImageSize(video.firstFrame ?? "")),
    durationSeconds: video.durationSeconds,
    seed: hashText(prompt, services.seed),
    generateAudio: video.sound,
    draft: false,
    returnLastFrame: false,
    executionExpiresAfter: Number.POSITIVE_INFINITY,
    callbackURL: video.callbackURL,
    firstFrame: video.firstFrame,
    lastFrame: video.lastFrame,
  };
  const task = startVideoTask(exchange, {
    ...{ family, externalId, model: model.id, settings },
    prompt: video.prompt,
  });
  return Answer.json(shapesOf(services).created(task, services));
}
