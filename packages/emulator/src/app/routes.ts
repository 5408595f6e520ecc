import { readSubscription, readUsage } from "../account/billing.js";
import { readPricing } from "../account/pricing.js";
import { readTokenUsage } from "../account/token-usage.js";
import type { Route } from "../api/exchange.js";
import { createSpeech, speechInputText } from "../audio/create-speech.js";
import { conversationOf, lastUserText } from "../chat/chat-request.js";
import { createChatCompletion } from "../chat/create-chat-completion.js";
import { createEmbeddings, embeddingInputTexts } from "../embeddings/create-embeddings.js";
import { SPECIALIZED_BASES } from "../http/base-kinds.js";
import { createImages, imagePromptText } from "../images/create-images.js";
import { editImages } from "../images/edit-images.js";
import { listModels } from "../models/list-models.js";
import { createModeration, moderationInputTexts } from "../moderations/create-moderation.js";
import { createVideoTask, videoPromptText } from "../videos/create-video-task.js";
import {
  createImageToVideoTask,
  createOmniVideoTask,
  wrappedPromptText,
} from "../videos/create-wrapped-task.js";
import { retrieveVideoTask } from "../videos/retrieve-video-task.js";

/** The API, one line per endpoint. */
export const routes: readonly Route[] = [
  { method: "GET", path: "/models", handle: listModels },
  {
    method: "POST",
    path: "/chat/completions",
    handle: createChatCompletion,
    promptTexts: only(lastUserText),
    conversationOf,
  },
  { method: "POST", path: "/embeddings", handle: createEmbeddings, promptTexts: embeddingInputTexts },
  { method: "POST", path: "/images/generations", handle: createImages, promptTexts: only(imagePromptText) },
  {
    method: "POST",
    path: "/images/edits",
    handle: editImages,
    promptTexts: only(imagePromptText),
    multipart: true,
  },
  { method: "POST", path: "/audio/speech", handle: createSpeech, promptTexts: only(speechInputText) },
  { method: "POST", path: "/moderations", handle: createModeration, promptTexts: moderationInputTexts },
  {
    method: "GET",
    path: "/dashboard/billing/subscription",
    handle: readSubscription,
    bases: SPECIALIZED_BASES,
  },
  { method: "GET", path: "/dashboard/billing/usage", handle: readUsage, bases: SPECIALIZED_BASES },
  {
    method: "POST",
    path: "/videos",
    handle: createVideoTask,
    promptTexts: only(videoPromptText),
    createsTask: true,
  },
  { method: "GET", path: "/videos/:task_id", handle: retrieveVideoTask("content") },
  {
    method: "POST",
    path: "/videos/image2video",
    handle: createImageToVideoTask,
    promptTexts: only(wrappedPromptText),
    createsTask: true,
  },
  { method: "GET", path: "/videos/image2video/:task_id", handle: retrieveVideoTask("image2video") },
  {
    method: "POST",
    path: "/videos/omni-video",
    handle: createOmniVideoTask,
    promptTexts: only(wrappedPromptText),
    createsTask: true,
  },
  { method: "GET", path: "/videos/omni-video/:task_id", handle: retrieveVideoTask("omni-video") },
];

/** What is served beside the base addresses: below each without its `/v1`. */
export const originRoutes: readonly Route[] = [
  { method: "GET", path: "/api/usage/token", handle: readTokenUsage },
  { method: "GET", path: "/api/pricing", handle: readPricing },
];

/** Bodies that have one text. */
function only(textOf: (body: unknown) => string): (body: unknown) => string[] {
  return (body) => [textOf(body)];
}
