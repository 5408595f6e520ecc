import type { Exchange } from "../api/exchange.js";
import { requireModel } from "../api/require-model.js";
import { hashText } from "../language/hash-text.js";
import { stripPromptMarkers } from "../language/prompt-markers.js";
import { readImageSize } from "../media/read-image-size.js";
import { type Ratio, type Resolution, videoDimensions } from "../tasks/video-dimensions.js";
import type { VideoFamily, VideoTask } from "../tasks/video-task.js";
import { startVideoTask } from "../videos/start-video-task.js";

const CONTENT_EXPIRES_AFTER_SECONDS = 172_800;

/** What an upstream's own request asks of any model of videos. */
export interface NativeVideo {
  /** Of the endpoint; what the model serves where it takes all of them. */
  family?: VideoFamily;
  prompt: string;
  resolution: Resolution;
  ratio: Ratio;
  /** In pixels: its shape is that of the video where the ratio is adaptive. */
  size?: { width: number; height: number };
  durationSeconds: number;
  seed?: number;
  sound: boolean;
  firstFrame?: string;
  lastFrame?: string;
  callbackURL?: string;
  externalId?: string;
}

/**
 * Starts a task that an upstream's own endpoint was asked for.
 *
 * @throws APIError 404 for a model that the key does not reach, 400 for one that makes no such videos, 403 when the key cannot pay
 */
export function startNativeTask(
  exchange: Exchange,
  modelId: string,
  video: NativeVideo,
  capabilities: readonly ("content-video" | "image2video" | "omni-video")[],
): VideoTask {
  const model = requireModel(exchange, modelId, ...capabilities);
  const isContent = model.capability === "content-video";
  const { resolution, ratio, size, durationSeconds, callbackURL, firstFrame, lastFrame, externalId } = video;
  const prompt = stripPromptMarkers(video.prompt);
  return startVideoTask(exchange, {
    family: video.family ?? (model.capability === "content-video" ? "content" : model.capability),
    externalId,
    model: model.id,
    series: model.capability === "content-video" ? model.series : undefined,
    prompt: video.prompt,
    settings: {
      ...{ prompt, resolution, durationSeconds, callbackURL, firstFrame, lastFrame },
      ...videoDimensions(resolution, ratio, size ?? readImageSize(firstFrame ?? "")),
      seed: video.seed ?? hashText(prompt, exchange.services.seed),
      generateAudio: video.sound,
      draft: false,
      returnLastFrame: false,
      executionExpiresAfter: isContent ? CONTENT_EXPIRES_AFTER_SECONDS : Number.POSITIVE_INFINITY,
    },
  });
}
