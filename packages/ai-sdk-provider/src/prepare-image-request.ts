import type { ImageModelV4CallOptions, ImageModelV4File, SharedV4Warning } from "@ai-sdk/provider";
import { parseProviderOptions } from "@ai-sdk/provider-utils";
import type {
  ChatImageRequest,
  ImageEditRequest,
  ImageGenerateRequest,
  ImageInput,
  ImageShape,
} from "@model-gateway/core";
import { fileAddress } from "./file-address.js";
import { PROVIDER_KEY } from "./model-gateway-config.js";
import {
  imageModelOptionsSchema,
  type ModelGatewayImageModelOptions,
} from "./model-gateway-image-model-options.js";
import type { ResultClient } from "./result-client.js";
import { warnUnsentOptions } from "./warn-unsent-options.js";

/** One of the three calls that image models are made of. */
export type ImageRequest =
  | { kind: "generate"; shape: "base64" | "reference"; body: ImageGenerateRequest }
  | { kind: "edit"; body: ImageEditRequest }
  | { kind: "chat"; body: ChatImageRequest };

export interface PreparedImageRequest {
  request: ImageRequest;
  warnings: SharedV4Warning[];
}

/** Chooses the wire shape and fills it; what cannot be sent becomes a warning. */
export async function prepareImageRequest(
  modelId: string,
  settings: { shape: ImageShape | undefined; streamed: boolean },
  call: ImageModelV4CallOptions,
  gateway: ResultClient,
): Promise<PreparedImageRequest> {
  const warnings: SharedV4Warning[] = [];
  const options: ModelGatewayImageModelOptions =
    (await parseProviderOptions({
      provider: PROVIDER_KEY,
      providerOptions: call.providerOptions,
      schema: imageModelOptionsSchema,
    })) ?? {};
  const shape = options.shape ?? settings.shape;
  const files = call.files ?? [];
  const size = options.size ?? call.size;
  const prompt = call.prompt ?? "";
  const kind = kindOf(shape, files.length > 0 || call.mask !== undefined);
  warnUnsent(kind, call, options, warnings);
  if (options.partialImages !== undefined && SENT[kind].has("partialImages") && !settings.streamed) {
    const details = "The model's setting onPartialImage, which takes the pictures, is missing.";
    warnings.push({ type: "unsupported", feature: "partialImages", details });
  }
  if (kind === "chat") {
    const { quality, sizePlacement, user } = options;
    const images = files.map(fileAddress);
    const own: ChatImageRequest = { model: modelId, prompt, size, quality, sizePlacement, user, images };
    return { request: { kind, body: { ...defined(own), ...options.extraBody } }, warnings };
  }
  if (kind === "edit") {
    const body: ImageEditRequest = defined({
      ...base64Fields(options),
      model: modelId,
      prompt,
      size,
      n: call.n > 1 ? call.n : undefined,
      images: await Promise.all(files.map((file) => toInput(file, gateway, call.abortSignal))),
      mask: call.mask && (await toMask(call.mask, gateway, call.abortSignal)),
      input_fidelity: options.inputFidelity,
      ...options.extraBody,
    });
    return { request: { kind, body }, warnings };
  }
  const body = generateBody(modelId, kind, prompt, size, files, call, options);
  return { request: { kind: "generate", shape: kind === "reference" ? kind : "base64", body }, warnings };
}

/** The ways an image is asked for: through chat, with references as JSON, as a plain generation, or as a form. */
type RequestKind = "chat" | "reference" | "generate" | "edit";

function kindOf(shape: ImageShape | undefined, hasFiles: boolean): RequestKind {
  if (shape === "chat" || shape === "reference") return shape;
  return hasFiles ? "edit" : "generate";
}

type OptionName = keyof ModelGatewayImageModelOptions;

const BASE64_OPTIONS: readonly OptionName[] = [
  ...(["shape", "size", "quality", "user", "outputFormat", "outputCompression", "background"] as const),
  ...(["moderation", "partialImages", "extraBody"] as const),
];

/** Which options each way has fields for. */
const SENT: Record<RequestKind, ReadonlySet<OptionName>> = {
  chat: new Set<OptionName>(["shape", "size", "quality", "user", "sizePlacement", "extraBody"]),
  reference: new Set<OptionName>([
    ...(["shape", "size", "outputFormat", "responseFormat", "watermark", "guidanceScale"] as const),
    ...(["sequentialImageGeneration", "maxImages", "extraBody"] as const),
  ]),
  generate: new Set(BASE64_OPTIONS),
  edit: new Set<OptionName>([...BASE64_OPTIONS, "inputFidelity"]),
};

const NAMES: Record<RequestKind, string> = {
  chat: "Image models of the shape chat",
  reference: "Image models of the shape reference",
  generate: "Generations of the shape base64, which is the default,",
  edit: "Edits of the shape base64, which is the default,",
};

function warnUnsent(
  kind: RequestKind,
  call: ImageModelV4CallOptions,
  options: ModelGatewayImageModelOptions,
  warnings: SharedV4Warning[],
): void {
  const details = `${NAMES[kind]} do not take it.`;
  const unsupported = (feature: string, why: string) =>
    warnings.push({ type: "unsupported", feature, details: why });
  const isSet = kind === "generate" || kind === "edit";
  if (call.aspectRatio !== undefined) unsupported("aspectRatio", "Use size.");
  if (call.seed !== undefined && kind !== "reference") unsupported("seed", details);
  if (call.n > 1 && !isSet) unsupported("n", `${details} Leave maxImagesPerCall at 1.`);
  if (call.mask !== undefined && !isSet) unsupported("mask", details);
  if (kind === "reference" && options.outputFormat === "webp") unsupported("outputFormat webp", details);
  warnUnsentOptions(options, SENT[kind], NAMES[kind], warnings);
}

function generateBody(
  model: string,
  kind: "generate" | "reference",
  prompt: string,
  size: string | undefined,
  files: readonly ImageModelV4File[],
  call: ImageModelV4CallOptions,
  options: ModelGatewayImageModelOptions,
): ImageGenerateRequest {
  if (kind === "generate") {
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
  gateway: ResultClient,
  signal: AbortSignal | undefined,
): Promise<ImageInput> {
  const download = await gateway.download(fileAddress(file), { signal });
  return { data: await download.bytes(), mediaType: download.contentType };
}

/** A mask by address is named, a mask by content is sent as a file. */
async function toMask(
  mask: ImageModelV4File,
  gateway: ResultClient,
  signal: AbortSignal | undefined,
): Promise<ImageEditRequest["mask"]> {
  return mask.type === "url" ? { image_url: mask.url } : toInput(mask, gateway, signal);
}

function defined<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}
