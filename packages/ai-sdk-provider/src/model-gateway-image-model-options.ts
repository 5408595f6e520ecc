import { lazySchema, zodSchema } from "@ai-sdk/provider-utils";
import type { ImageShape } from "@model-gateway/core";
import { z } from "zod/v4";

export const imageModelOptionsSchema = lazySchema(() =>
  zodSchema(
    z.strictObject({
      shape: z.enum(["reference", "base64", "chat"]).optional(),
      size: z.string().optional(),
      quality: z.string().optional(),
      user: z.string().optional(),
      outputFormat: z.enum(["png", "jpeg", "webp"]).optional(),
      outputCompression: z.number().optional(),
      background: z.enum(["transparent", "opaque", "auto"]).optional(),
      moderation: z.enum(["auto", "low"]).optional(),
      inputFidelity: z.enum(["high", "low"]).optional(),
      partialImages: z.number().int().optional(),
      responseFormat: z.enum(["url", "b64_json"]).optional(),
      watermark: z.boolean().optional(),
      sequentialImageGeneration: z.enum(["auto", "disabled"]).optional(),
      maxImages: z.number().int().optional(),
      guidanceScale: z.number().optional(),
      sizePlacement: z.enum(["metadata", "prompt"]).optional(),
      budgetTag: z.string().optional(),
      extraBody: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
);

/** Options of image models under `providerOptions.modelGateway`; unknown names are an error. */
export interface ModelGatewayImageModelOptions {
  /** Which wire shape the model has; overrides the model's setting. */
  shape?: ImageShape;
  /** Sizes that the SDK's own `size` cannot hold: `2K`, `auto`. */
  size?: string;
  /** Base64-only and chat models. */
  quality?: string;
  /** End-user identifier. */
  user?: string;
  /** `webp` with Base64-only models. */
  outputFormat?: "png" | "jpeg" | "webp";
  /** For `jpeg` and `webp`. */
  outputCompression?: number;
  background?: "transparent" | "opaque" | "auto";
  moderation?: "auto" | "low";
  /** Edits only. */
  inputFidelity?: "high" | "low";
  /** Intermediate pictures for `onPartialImage`, 0 to 3. */
  partialImages?: number;
  /** Reference-image models only. */
  responseFormat?: "url" | "b64_json";
  watermark?: boolean;
  /** `auto` lets the model make a set; every image of it is returned. */
  sequentialImageGeneration?: "auto" | "disabled";
  /** Upper bound of a set, 1 to 15. */
  maxImages?: number;
  guidanceScale?: number;
  /** Chat models only: where the size goes. */
  sizePlacement?: "metadata" | "prompt";
  /** Who the call is for: with a `budget` per tag, what is spent for them is counted apart. */
  budgetTag?: string;
  /** Further fields of the request body, sent as they are. */
  extraBody?: Record<string, unknown>;
}
