import { lazySchema, zodSchema } from "@ai-sdk/provider-utils";
import type { VideoFamily } from "@model-gateway/core";
import { z } from "zod/v4";

export const videoModelOptionsSchema = lazySchema(() =>
  zodSchema(
    z.strictObject({
      family: z.enum(["content", "image2video", "omni-video"]).optional(),
      mode: z.string().optional(),
      negativePrompt: z.string().optional(),
      cfgScale: z.number().optional(),
      externalTaskId: z.string().optional(),
      resolution: z.string().optional(),
      ratio: z.string().optional(),
      duration: z.number().int().optional(),
      frames: z.number().int().optional(),
      firstFrame: z.string().optional(),
      lastFrame: z.string().optional(),
      referenceImages: z.array(z.string()).optional(),
      referenceVideos: z.array(z.string()).optional(),
      referenceAudio: z.array(z.string()).optional(),
      draftTask: z.string().optional(),
      draft: z.boolean().optional(),
      returnLastFrame: z.boolean().optional(),
      serviceTier: z.string().optional(),
      executionExpiresAfter: z.number().int().optional(),
      webSearch: z.boolean().optional(),
      safetyIdentifier: z.string().optional(),
      priority: z.number().int().optional(),
      cameraFixed: z.boolean().optional(),
      watermark: z.boolean().optional(),
      budgetTag: z.string().optional(),
      extraBody: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
);

/**
 * Options of video models under `providerOptions.modelGateway`; unknown names are an error. Addresses are public
 * URLs, data URLs, or `asset://<asset id>`, which the SDK's own image inputs cannot carry.
 */
export interface ModelGatewayVideoModelOptions {
  /** Which way of creating tasks the model has; overrides the model's setting. Default `content`. */
  family?: VideoFamily;
  /** `std` or `pro`; image2video and omni-video. */
  mode?: string;
  /** image2video and omni-video. */
  negativePrompt?: string;
  /** image2video and omni-video. */
  cfgScale?: number;
  /** Your own id of the task; image2video and omni-video. Default: the idempotency key of the call. */
  externalTaskId?: string;
  /** Resolution tier such as `720p`, instead of the SDK's size in pixels. */
  resolution?: string;
  /** Ratio such as `16:9` or `adaptive`. */
  ratio?: string;
  /** Seconds, -1 for automatic where supported. */
  duration?: number;
  /** Length in frames, for models that take it. */
  frames?: number;
  firstFrame?: string;
  lastFrame?: string;
  referenceImages?: string[];
  referenceVideos?: string[];
  referenceAudio?: string[];
  /** Id of a draft task to be rendered in full. */
  draftTask?: string;
  draft?: boolean;
  /** Also return the last frame as an image, in the metadata of the result. */
  returnLastFrame?: boolean;
  serviceTier?: string;
  /** Task time-out in seconds. */
  executionExpiresAfter?: number;
  /** Let the model search the web. */
  webSearch?: boolean;
  safetyIdentifier?: string;
  priority?: number;
  cameraFixed?: boolean;
  watermark?: boolean;
  /** Who the call is for: with a `budget` per tag, what is spent for them is counted apart. */
  budgetTag?: string;
  /** Further fields of the request body, sent as they are. */
  extraBody?: Record<string, unknown>;
}
