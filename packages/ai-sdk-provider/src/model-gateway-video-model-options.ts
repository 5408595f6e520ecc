import { lazySchema, zodSchema } from "@ai-sdk/provider-utils";
import { z } from "zod/v4";

export const videoModelOptionsSchema = lazySchema(() =>
  zodSchema(
    z.strictObject({
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
    }),
  ),
);

/**
 * Options of video models under `providerOptions.modelGateway`; unknown names are an error. Addresses are public
 * URLs, data URLs, or `asset://<asset id>`, which the SDK's own image inputs cannot carry.
 */
export interface ModelGatewayVideoModelOptions {
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
}
