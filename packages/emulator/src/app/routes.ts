import { readSubscription, readUsage } from "../account/billing.js";
import { readPricing } from "../account/pricing.js";
import { readTokenUsage } from "../account/token-usage.js";
import type { Route } from "../api/exchange.js";
import { createSpeech, speechInputText } from "../audio/create-speech.js";
import { lastUserText } from "../chat/chat-request.js";
import { createChatCompletion } from "../chat/create-chat-completion.js";
import { createEmbeddings, embeddingInputText } from "../embeddings/create-embeddings.js";
import { SPECIALIZED_BASES } from "../http/base-kinds.js";
import { createImages, imagePromptText } from "../images/create-images.js";
import { editImages } from "../images/edit-images.js";
import { listModels } from "../models/list-models.js";
import { createModeration, moderationInputText } from "../moderations/create-moderation.js";
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
  { method: "POST", path: "/chat/completions", handle: createChatCompletion, promptText: lastUserText },
  { method: "POST", path: "/embeddings", handle: createEmbeddings, promptText: embeddingInputText },
  { method: "POST", path: "/images/generations", handle: createImages, promptText: imagePromptText },
  {
    method: "POST",
    path: "/images/edits",
    handle: editImages,
    promptText: imagePromptText,
    multipart: true,
  },
  { method: "POST", path: "/audio/speech", handle: createSpeech, promptText: speechInputText },
  { method: "POST", path: "/moderations", handle: createModeration, promptText: moderationInputText },
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
    promptText: videoPromptText,
    createsTask: true,
  },
  { method: "GET", path: "/videos/:task_id", handle: retrieveVideoTask("content") },
  {
    method: "POST",
    path: "/videos/image2video",
    handle: createImageToVideoTask,
    promptText: wrappedPromptText,
    createsTask: true,
  },
  { method: "GET", path: "/videos/image2video/:task_id", handle: retrieveVideoTask("image2video") },
  {
    method: "POST",
    path: "/videos/omni-video",
    handle: createOmniVideoTask,
    promptText: wrappedPromptText,
    createsTask: true,
  },
  { method: "GET", path: "/videos/omni-video/:task_id", handle: retrieveVideoTask("omni-video") },
];

/** What is served beside the base addresses: below each without its `/v1`. */
export const originRoutes: readonly Route[] = [
  { method: "GET", path: "/api/usage/token", handle: readTokenUsage },
  { method: "GET", path: "/api/pricing", handle: readPricing },
];
