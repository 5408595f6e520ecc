import type {
  Experimental_VideoModelV4CallOptions,
  Experimental_VideoModelV4File,
  SharedV4Warning,
} from "@ai-sdk/provider";
import { convertToBase64, parseProviderOptions } from "@ai-sdk/provider-utils";
import type { VideoContentItem, VideoCreateRequest, VideoImageItem } from "@model-gateway/core";
import { PROVIDER_KEY } from "./model-gateway-config.js";
import {
  type ModelGatewayVideoModelOptions,
  videoModelOptionsSchema,
} from "./model-gateway-video-model-options.js";
import { frameOfSize } from "./video-resolution.js";

type VideoCall = Experimental_VideoModelV4CallOptions & { webhookUrl?: string };

/** The body of `POST /videos` for a call; what cannot be sent becomes a warning. */
export async function prepareVideoRequest(
  modelId: string,
  call: VideoCall,
): Promise<{ body: VideoCreateRequest; warnings: SharedV4Warning[] }> {
  const warnings: SharedV4Warning[] = [];
  const options: ModelGatewayVideoModelOptions =
    (await parseProviderOptions({
      provider: PROVIDER_KEY,
      providerOptions: call.providerOptions,
      schema: videoModelOptionsSchema,
    })) ?? {};
  if (call.fps !== undefined) warnings.push({ type: "unsupported", feature: "fps" });

  const body: VideoCreateRequest = {
    model: modelId,
    content: [
      ...(call.prompt ? [{ type: "text", text: call.prompt } as const] : []),
      ...frameItems(call, options, warnings),
      ...referenceItems(call, options),
      ...(options.draftTask === undefined
        ? []
        : [{ type: "draft_task", draft_task: { id: options.draftTask } } as const]),
    ],
    ...frameOf(call, options, warnings),
    duration: options.duration ?? call.duration,
    frames: options.frames,
    seed: call.seed,
    generate_audio: call.generateAudio,
    callback_url: call.webhookUrl,
    return_last_frame: options.returnLastFrame,
    service_tier: options.serviceTier,
    execution_expires_after: options.executionExpiresAfter,
    draft: options.draft,
    tools: options.webSearch ? [{ type: "web_search" }] : undefined,
    safety_identifier: options.safetyIdentifier,
    priority: options.priority,
    camera_fixed: options.cameraFixed,
    watermark: options.watermark,
  };
  return { body, warnings };
}

function frameOf(
  { resolution: size, aspectRatio }: VideoCall,
  options: ModelGatewayVideoModelOptions,
  warnings: SharedV4Warning[],
): { resolution?: string; ratio?: string } {
  const frame = size === undefined ? undefined : frameOfSize(size);
  if (size !== undefined && frame === undefined && options.resolution === undefined) {
    warnings.push({
      type: "compatibility",
      feature: "resolution",
      details: `${size} is the size of no known tier and is sent as it is; providerOptions.${PROVIDER_KEY}.resolution takes a tier.`,
    });
  }
  return {
    resolution: options.resolution ?? frame?.resolution ?? size,
    ratio: options.ratio ?? aspectRatio ?? frame?.ratio,
  };
}

function frameItems(
  call: VideoCall,
  options: ModelGatewayVideoModelOptions,
  warnings: SharedV4Warning[],
): VideoImageItem[] {
  const given: Partial<Record<"first_frame" | "last_frame", string>> = {};
  if (call.image !== undefined) given.first_frame = addressOf(call.image);
  for (const { image, frameType } of call.frameImages ?? []) {
    if (given[frameType] !== undefined) {
      warnings.push({
        type: "other",
        message: `There are two images for ${frameType}; the later one is sent.`,
      });
    }
    given[frameType] = addressOf(image);
  }
  if (options.firstFrame !== undefined) given.first_frame = options.firstFrame;
  if (options.lastFrame !== undefined) given.last_frame = options.lastFrame;
  return (["first_frame", "last_frame"] as const).flatMap((role) => {
    const url = given[role];
    return url === undefined ? [] : [{ type: "image_url", image_url: { url }, role }];
  });
}

function referenceItems(call: VideoCall, options: ModelGatewayVideoModelOptions): VideoContentItem[] {
  const references = (call.inputReferences ?? []).map((file) => ({
    url: addressOf(file),
    kind: kindOf(file),
  }));
  const urls = (kind: "image" | "video" | "audio", own: string[] = []) => [
    ...references.filter((reference) => reference.kind === kind).map(({ url }) => url),
    ...own,
  ];
  return [
    ...urls("image", options.referenceImages).map(
      (url): VideoContentItem => ({ type: "image_url", image_url: { url }, role: "reference_image" }),
    ),
    ...urls("video", options.referenceVideos).map(
      (url): VideoContentItem => ({ type: "video_url", video_url: { url }, role: "reference_video" }),
    ),
    ...urls("audio", options.referenceAudio).map(
      (url): VideoContentItem => ({ type: "audio_url", audio_url: { url }, role: "reference_audio" }),
    ),
  ];
}

function kindOf({ mediaType }: Experimental_VideoModelV4File): "image" | "video" | "audio" {
  if (mediaType?.startsWith("video")) return "video";
  return mediaType?.startsWith("audio") ? "audio" : "image";
}

function addressOf(file: Experimental_VideoModelV4File): string {
  return file.type === "url" ? file.url : `data:${file.mediaType};base64,${convertToBase64(file.data)}`;
}
