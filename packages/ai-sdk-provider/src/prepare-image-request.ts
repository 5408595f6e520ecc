import type { ImageModelV4CallOptions, ImageModelV4File, SharedV4Warning } from "@ai-sdk/provider";
import { parseProviderOptions } from "@ai-sdk/provider-utils";
import type {
  ChatImageRequest,
  ImageEditRequest,
  ImageGenerateRequest,
  ImageInput,
  ModelGateway,
} from "@model-gateway/core";
import { fileAddress } from "./file-address.js";
import { PROVIDER_KEY } from "./model-gateway-config.js";
import {
  type ImageFamily,
  imageModelOptionsSchema,
  type ModelGatewayImageModelOptions,
} from "./model-gateway-image-model-options.js";

/** One of the three calls that image models are made of. */
export type ImageRequest =
  | { kind: "generate"; body: ImageGenerateRequest }
  | { kind: "edit"; body: ImageEditRequest }
  | { kind: "chat"; body: ChatImageRequest };

export interface PreparedImageRequest {
  request: ImageRequest;
  warnings: SharedV4Warning[];
}

/** Chooses the wire shape and fills it; what cannot be sent becomes a warning. */
export async function prepareImageRequest(
  modelId: string,
  familySetting: ImageFamily | undefined,
  call: ImageModelV4CallOptions,
  gateway: ModelGateway,
): Promise<PreparedImageRequest> {
  const warnings: SharedV4Warning[] = [];
  const options: ModelGatewayImageModelOptions =
    (await parseProviderOptions({
      provider: PROVIDER_KEY,
      providerOptions: call.providerOptions,
      schema: imageModelOptionsSchema,
    })) ?? {};
  const family = options.family ?? familySetting;
  const files = call.files ?? [];
  const size = options.size ?? call.size;
  const prompt = call.prompt ?? "";
  if (call.aspectRatio !== undefined) {
    warnings.push({ type: "unsupported", feature: "aspectRatio", details: "Use size." });
  }
  if (call.seed !== undefined && family !== "reference")
    warnings.push({ type: "unsupported", feature: "seed" });
  if (call.mask !== undefined && (family === "reference" || family === "chat")) {
    warnings.push({
      type: "unsupported",
      feature: "mask",
      details: `Models of the family ${family} take no mask.`,
    });
  }

  if (family === "chat") {
    const { quality, sizePlacement, user } = options;
    const images = files.map(fileAddress);
    return {
      request: {
        kind: "chat",
        body: defined({ model: modelId, prompt, size, quality, sizePlacement, user, images }),
      },
      warnings,
    };
  }
  if (family === "reference" || (files.length === 0 && call.mask === undefined)) {
    return {
      request: { kind: "generate", body: generateBody(modelId, family, prompt, size, files, call, options) },
      warnings,
    };
  }
  const { signal } = { signal: call.abortSignal };
  const body: ImageEditRequest = defined({
    ...base64Fields(options),
    model: modelId,
    prompt,
    size,
    n: call.n > 1 ? call.n : undefined,
    images: await Promise.all(files.map((file) => toInput(file, gateway, signal))),
    mask: call.mask && (await toMask(call.mask, gateway, signal)),
    input_fidelity: options.inputFidelity,
    ...options.extraBody,
  });
  return { request: { kind: "edit", body }, warnings };
}

function generateBody(
  model: string,
  family: ImageFamily | undefined,
  prompt: string,
  size: string | undefined,
  files: readonly ImageModelV4File[],
  call: ImageModelV4CallOptions,
  options: ModelGatewayImageModelOptions,
): ImageGenerateRequest {
  if (family !== "reference") {
    const n = call.n > 1 ? call.n : undefined;
    return defined({ ...base64Fields(options), model, prompt, size, n, ...options.extraBody });
  }
  const [first, ...others] = files.map(fileAddress);
  return defined({
    model,
    prompt,
    size,
    image: others.length > 0 ? [first as string, ...others] : first,
    response_format: options.responseFormat,
    output_format: options.outputFormat === "webp" ? undefined : options.outputFormat,
    watermark: options.watermark,
    sequential_image_generation: options.sequentialImageGeneration,
    sequential_image_generation_options:
      options.maxImages === undefined ? undefined : { max_images: options.maxImages },
    seed: call.seed,
    guidance_scale: options.guidanceScale,
    ...options.extraBody,
  });
}

function base64Fields(options: ModelGatewayImageModelOptions) {
  return {
    quality: options.quality as ImageEditRequest["quality"],
    background: options.background,
    output_format: options.outputFormat,
    output_compression: options.outputCompression,
    moderation: options.moderation,
    user: options.user,
  };
}

/** Edits take files: an image that is given by its address is downloaded first. */
async function toInput(
  file: ImageModelV4File,
  gateway: ModelGateway,
  signal: AbortSignal | undefined,
): Promise<ImageInput> {
  const download = await gateway.download(fileAddress(file), { signal });
  return { data: await download.bytes(), mediaType: download.contentType };
}

/** A mask by address is named, a mask by content is sent as a file. */
async function toMask(
  mask: ImageModelV4File,
  gateway: ModelGateway,
  signal: AbortSignal | undefined,
): Promise<ImageEditRequest["mask"]> {
  return mask.type === "url" ? { image_url: mask.url } : toInput(mask, gateway, signal);
}

function defined<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}
