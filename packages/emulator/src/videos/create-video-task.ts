import type { Exchange } from "../api/exchange.js";
import { requireModel } from "../api/require-model.js";
import { Field } from "../checks/field.js";
import { Answer } from "../http/answer.js";
import { APIError } from "../http/api-error.js";
import { isRecord } from "../json/is-record.js";
import { hashText } from "../language/hash-text.js";
import { stripPromptMarkers } from "../language/prompt-markers.js";
import { readImageSize } from "../media/read-image-size.js";
import { videoDimensions } from "../tasks/video-dimensions.js";
import type { VideoTask, VideoTaskSettings } from "../tasks/video-task.js";
import { type CheckedVideoRequest, checkVideoRequest } from "./check-video-request.js";
import { shapesOf } from "./shaped-task.js";
import { startVideoTask } from "./start-video-task.js";

const DEFAULT_DURATION_SECONDS = 5;
const DEFAULT_EXPIRES_AFTER_SECONDS = 172_800;

/** `POST /videos`: starts a task of the family `content`. */
export function createVideoTask(exchange: Exchange): Answer {
  const { body, key, services } = exchange;
  const field = Field.body(body);
  const modelId = field.get("model").nonEmptyString();
  if (modelId === undefined) field.finish();
  const model = requireModel(exchange, modelId ?? "", "content-video");
  const request = checkVideoRequest(field, model);
  const { draftTaskId, text } = request.content;
  const draft =
    draftTaskId === undefined
      ? undefined
      : requireDraft(services.tasks.get(draftTaskId), key.key, draftTaskId);

  const settings = draft ? settingsFromDraft(draft, request) : settingsOf(request, services.seed);
  const { id, series } = model;
  const task = startVideoTask(exchange, { family: "content", model: id, series, prompt: text, settings });
  return Answer.json(shapesOf(services).created(task, services));
}

/** The text of a create request, checked or not, in which prompt markers count. */
export function videoPromptText(body: unknown): string {
  const content = isRecord(body) ? body["content"] : undefined;
  if (!Array.isArray(content)) return "";
  return content
    .map((item: unknown) => (isRecord(item) && typeof item["text"] === "string" ? item["text"] : ""))
    .join("\n");
}

function settingsOf(request: CheckedVideoRequest, emulatorSeed: number): VideoTaskSettings {
  const prompt = stripPromptMarkers(request.content.text);
  const draft = request.draft ?? false;
  const resolution = request.resolution ?? (draft ? "480p" : "720p");
  const guide = request.content.images[0];
  const size = guide && readImageSize(guide.url);
  return {
    prompt,
    resolution,
    ...videoDimensions(resolution, request.ratio ?? "adaptive", size),
    durationSeconds: request.duration ?? DEFAULT_DURATION_SECONDS,
    seed: request.seed ?? hashText(prompt, emulatorSeed),
    generateAudio: request.generateAudio ?? true,
    draft,
    firstFrame: request.content.images.find(({ role }) => role === "first_frame")?.url,
    lastFrame: request.content.images.find(({ role }) => role === "last_frame")?.url,
    ...requestSettings(request),
  };
}

/** The full video repeats its draft: same prompt, seed and shape. */
function settingsFromDraft(draft: VideoTask, request: CheckedVideoRequest): VideoTaskSettings {
  const { prompt, seed, ratio, durationSeconds, generateAudio, firstFrame, lastFrame } = draft.settings;
  const resolution = request.resolution ?? "720p";
  return {
    prompt,
    seed,
    durationSeconds: request.duration ?? durationSeconds,
    generateAudio: request.generateAudio ?? generateAudio,
    resolution,
    ...videoDimensions(resolution, request.ratio ?? ratio),
    draft: false,
    firstFrame,
    lastFrame,
    ...requestSettings(request),
  };
}

function requestSettings(
  request: CheckedVideoRequest,
): Pick<VideoTaskSettings, "returnLastFrame" | "executionExpiresAfter" | "callbackURL"> {
  return {
    returnLastFrame: request.returnLastFrame ?? false,
    executionExpiresAfter: request.executionExpiresAfter ?? DEFAULT_EXPIRES_AFTER_SECONDS,
    callbackURL: request.callbackURL,
  };
}

function requireDraft(draft: VideoTask | undefined, key: string, id: string): VideoTask {
  if (draft && draft.key === key && draft.settings.draft && draft.status === "succeeded") return draft;
  throw APIError.badRequest(
    `content[].draft_task.id must be the id of a succeeded task that was created with draft: true (got "${id}").`,
  );
}
