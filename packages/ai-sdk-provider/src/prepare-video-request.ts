import type {
  Experimental_VideoModelV4CallOptions,
  Experimental_VideoModelV4File,
  SharedV4Warning,
} from "@ai-sdk/provider";
import { parseProviderOptions } from "@ai-sdk/provider-utils";
import type {
  ImageToVideoRequest,
  OmniVideoRequest,
  VideoContentItem,
  VideoCreateRequest,
  VideoFamily,
  VideoImageItem,
  VideoSubmission,
} from "@model-gateway/core";
import { fileAddress } from "./file-address.js";
import { PROVIDER_KEY } from "./model-gateway-config.js";
import {
  type ModelGatewayVideoModelOptions,
  videoModelOptionsSchema,
} from "./model-gateway-video-model-options.js";
import { frameOfSize } from "./video-resolution.js";
import { warnUnsentOptions } from "./warn-unsent-options.js";

type VideoCall = Experimental_VideoModelV4CallOptions & { webhookUrl?: string };

/** A task of one of the three families. */
export type PreparedVideoRequest = { warnings: SharedV4Warning[] } & VideoSubmission;

type OptionName = keyof ModelGatewayVideoModelOptions;

const EVERYWHERE: readonly OptionName[] = ["family", "duration", "firstFrame", "lastFrame", "extraBody"];
const WRAPPED: readonly OptionName[] = ["mode", "negativePrompt", "cfgScale", "externalTaskId"];
const REFERENCES: readonly OptionName[] = ["ratio", "referenceImages", "referenceVideos"];

/** Which options each family has fields for. */
const SENT: Record<VideoFamily, ReadonlySet<OptionName>> = {
  content: new Set<OptionName>([
    ...EVERYWHERE,
    ...REFERENCES,
    ...(["resolution", "frames", "referenceAudio", "draft", "draftTask", "returnLastFrame"] as const),
    ...(["serviceTier", "executionExpiresAfter", "webSearch", "safetyIdentifier", "priority"] as const),
    ...(["cameraFixed", "watermark"] as const),
  ]),
  image2video: new Set([...EVERYWHERE, ...WRAPPED]),
  "omni-video": new Set([...EVERYWHERE, ...WRAPPED, ...REFERENCES]),
};

/** The body for a call; what cannot be sent becomes a warning. */
export async function prepareVideoRequest(
  modelId: string,
  familySetting: VideoFamily | undefined,
  call: VideoCall,
): Promise<PreparedVideoRequest> {
  const warnings: SharedV4Warning[] = [];
  const options: ModelGatewayVideoModelOptions =
    (await parseProviderOptions({
      provider: PROVIDER_KEY,
      providerOptions: call.providerOptions,
      schema: videoModelOptionsSchema,
    })) ?? {};
  if (call.fps !== undefined) warnings.push({ type: "unsupported", feature: "fps" });
  const family = options.family ?? familySetting ?? "content";
  warnUnsentOptions(options, SENT[family], `Models of the family ${family}`, warnings);
  if (family === "image2video")
    return { family, warnings, body: imageToVideoBody(modelId, call, options, warnings) };
  if (family === "omni-video")
    return { family, warnings, body: omniVideoBody(modelId, call, options, warnings) };
  return { family, warnings, body: contentBody(modelId, call, options, warnings) };
}

function contentBody(
  modelId: string,
  call: VideoCall,
  options: ModelGatewayVideoModelOptions,
  warnings: SharedV4Warning[],
): VideoCreateRequest {
  return {
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
    ...options.extraBody,
  };
}

function imageToVideoBody(
  modelId: string,
  call: VideoCall,
  options: ModelGatewayVideoModelOptions,
  warnings: SharedV4Warning[],
): ImageToVideoRequest {
  const frames = framesOf(call, options, warnings);
  warnUnsupported(warnings, "image2video", {
    lastFrame: frames.last_frame,
    inputReferences: call.inputReferences?.length ? call.inputReferences : undefined,
    resolution: call.resolution,
    aspectRatio: call.aspectRatio,
    seed: call.seed,
  });
  return {
    ...wrappedFields(modelId, call, options),
    // This family takes Base64 without the prefix of a data URL.
    image: (frames.first_frame ?? "").replace(/^data:[^,]*;base64,/, ""),
    sound: call.generateAudio === undefined ? undefined : call.generateAudio ? "on" : "off",
    ...options.extraBody,
  };
}

function omniVideoBody(
  modelId: string,
  call: VideoCall,
  options: ModelGatewayVideoModelOptions,
  warnings: SharedV4Warning[],
): OmniVideoRequest {
  const frames = framesOf(call, options, warnings);
  warnUnsupported(warnings, "omni-video", {
    resolution: call.resolution,
    seed: call.seed,
    generateAudio: call.generateAudio,
    "audio in inputReferences": call.inputReferences?.find((file) => kindOf(file) === "audio"),
  });
  const items = referenceItems(call, options);
  const images = [
    ...Object.values(frames),
    ...items.flatMap((item) => (item.type === "image_url" ? [item.image_url.url] : [])),
  ];
  const videos = items.flatMap((item) =>
    item.type === "video_url" ? [{ video_url: item.video_url.url }] : [],
  );
  return {
    ...wrappedFields(modelId, call, options),
    image_list: images.length > 0 ? images.map((url) => ({ image_url: url })) : undefined,
    video_list: videos.length > 0 ? videos : undefined,
    aspect_ratio: options.ratio ?? call.aspectRatio,
    ...options.extraBody,
  };
}

function wrappedFields(modelId: string, call: VideoCall, options: ModelGatewayVideoModelOptions) {
  const duration = options.duration ?? call.duration;
  return {
    model_name: modelId,
    prompt: call.prompt ?? "",
    mode: options.mode,
    duration: duration === undefined ? undefined : String(duration),
    negative_prompt: options.negativePrompt,
    cfg_scale: options.cfgScale,
    callback_url: call.webhookUrl,
    external_task_id: options.externalTaskId,
  };
}

function warnUnsupported(
  warnings: SharedV4Warning[],
  family: VideoFamily,
  features: Record<string, unknown>,
): void {
  for (const [feature, value] of Object.entries(features)) {
    if (value === undefined) continue;
    warnings.push({
      type: "unsupported",
      feature,
      details: `Models of the family ${family} do not take it.`,
    });
  }
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

type Frames = Partial<Record<"first_frame" | "last_frame", string>>;

function framesOf(
  call: VideoCall,
  options: ModelGatewayVideoModelOptions,
  warnings: SharedV4Warning[],
): Frames {
  const given: Frames = {};
  if (call.image !== undefined) given.first_frame = fileAddress(call.image);
  for (const { image, frameType } of call.frameImages ?? []) {
    const address = fileAddress(image);
    // The SDK gives a first frame as `image` too.
    if (given[frameType] !== undefined && given[frameType] !== address) {
      warnings.push({
        type: "other",
        message: `There are two images for ${frameType}; the later one is sent.`,
      });
    }
    given[frameType] = address;
  }
  if (options.firstFrame !== undefined) given.first_frame = options.firstFrame;
  if (options.lastFrame !== undefined) given.last_frame = options.lastFrame;
  return given;
}

function frameItems(
  call: VideoCall,
  options: ModelGatewayVideoModelOptions,
  warnings: SharedV4Warning[],
): VideoImageItem[] {
  const frames = framesOf(call, options, warnings);
  return (["first_frame", "last_frame"] as const).flatMap((role) => {
    const url = frames[role];
    return url === undefined ? [] : [{ type: "image_url", image_url: { url }, role }];
  });
}

function referenceItems(call: VideoCall, options: ModelGatewayVideoModelOptions): VideoContentItem[] {
  const references = (call.inputReferences ?? []).map((file) => ({
    url: fileAddress(file),
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
