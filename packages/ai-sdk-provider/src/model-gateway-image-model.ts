import type {
  ImageModelV4,
  ImageModelV4CallOptions,
  ImageModelV4Result,
  JSONArray,
  JSONObject,
} from "@ai-sdk/provider";
import { WORKFLOW_DESERIALIZE, WORKFLOW_SERIALIZE } from "@ai-sdk/provider-utils";
import type {
  APIPromise,
  Cost,
  GatewayImage,
  ImageError,
  ImageResult,
  ImageShape,
  ImageStream,
} from "@model-gateway/core";
import { createImages } from "@model-gateway/core/images";
import { resultDownloadError, toSDKError } from "./map-error.js";
import { type ModelConfig, PROVIDER_KEY, toRequestOptions } from "./model-gateway-config.js";
import { PaidCalls } from "./paid-calls.js";
import { perConnection } from "./per-connection.js";
import { type ImageRequest, prepareImageRequest } from "./prepare-image-request.js";
import { resultClient } from "./result-client.js";
import { restoreConfig, type StoredModel, storeModel } from "./stored-model.js";

/** An intermediate picture of an image that is being made. */
export interface PartialImage {
  /** Which image of the call, from 0. */
  index: number;
  /** Which intermediate picture, from 0. */
  partialIndex: number;
  image: Uint8Array;
  mediaType: string;
}

/** Settings of `modelGateway.image(id, settings)`. */
export interface ModelGatewayImageModelSettings {
  /**
   * Wire shape of the model: `reference` (reference images as JSON), `base64` (Base64 only, edits as a form), or
   * `chat`. Default: generations, or an edit where images or a mask are given.
   */
  shape?: ImageShape;
  /** Called with intermediate pictures; the call is streamed then. `partialImages` says how many, default 1. */
  onPartialImage?: (partial: PartialImage) => void;
  /** Images per request; more are made by several requests. Default 10 for `base64`, else 1. */
  maxImagesPerCall?: number;
}

interface Made {
  images: readonly GatewayImage[];
  /** Why images of a stream were not made; in a whole answer the image itself says it. */
  errors?: readonly ImageError[];
  requestId?: string | undefined;
  usage: unknown;
  cost?: Cost;
  raw: unknown;
  text?: string;
}

const BASE64_IMAGES_PER_CALL = 10;

/** As much of the client as these models use: a bundle of them alone holds no more. */
const gatewayOf = /* @__PURE__ */ perConnection((connection) => ({
  ...resultClient(connection),
  images: createImages(connection),
}));

type ImageClient = ReturnType<typeof gatewayOf>;

/** Image models of the gateway, of all three wire shapes, as an AI SDK image model. Results are always bytes. */
export class ModelGatewayImageModel implements ImageModelV4 {
  readonly specificationVersion = "v4";
  readonly supportsFileInputs = true;

  private readonly paid: PaidCalls;

  constructor(
    readonly modelId: string,
    private readonly settings: ModelGatewayImageModelSettings,
    private readonly config: ModelConfig,
  ) {
    this.paid = new PaidCalls(config.connection.retryBillable ?? false);
  }

  /** Writes the model down between the steps of a workflow: with the name of the key's variable, never with the key. */
  static [WORKFLOW_SERIALIZE](model: ModelGatewayImageModel): StoredModel {
    return storeModel(model.modelId, model.settings, model.config);
  }

  static [WORKFLOW_DESERIALIZE](stored: StoredModel): ModelGatewayImageModel {
    return new ModelGatewayImageModel(stored.modelId, stored.settings, restoreConfig(stored));
  }

  get provider(): string {
    return this.config.provider;
  }

  get maxImagesPerCall(): number {
    return this.settings.maxImagesPerCall ?? (this.settings.shape === "base64" ? BASE64_IMAGES_PER_CALL : 1);
  }

  get supportsMaskInputs(): boolean {
    return this.settings.shape === undefined || this.settings.shape === "base64";
  }

  async doGenerate(options: ImageModelV4CallOptions): Promise<ImageModelV4Result> {
    let baseURL = "";
    try {
      const gateway = gatewayOf(this.config.connect());
      baseURL = gateway.baseURL;
      const { made, headers, warnings } = await this.paid.once(options, () =>
        this.make(gateway, options).catch((error: unknown) => {
          throw toSDKError(error, baseURL);
        }),
      );
      return {
        images: await this.bytesOf(made, options, baseURL),
        // An empty result has been paid for all the same.
        isRetryable: false,
        warnings,
        providerMetadata: { [PROVIDER_KEY]: metadataOf(made) },
        response: { timestamp: new Date(), modelId: this.modelId, headers },
        ...usageOf(made.usage),
      };
    } catch (error) {
      throw toSDKError(error, baseURL);
    }
  }

  /** The paid part of a call; the images are fetched afterwards, and may be fetched again. */
  private async make(gateway: ImageClient, options: ImageModelV4CallOptions) {
    const { shape } = this.settings;
    const streamed = this.settings.onPartialImage !== undefined;
    const { request, warnings } = await prepareImageRequest(
      this.modelId,
      { shape, streamed },
      options,
      gateway,
    );
    const { data, response, requestId } = await this.send(gateway, request, options).withResponse();
    const made: Made = { ...("images" in data ? data : await this.readStream(data)), requestId };
    return { made, headers: Object.fromEntries(response.headers), warnings };
  }

  private send(
    gateway: ImageClient,
    request: ImageRequest,
    options: ImageModelV4CallOptions,
  ): APIPromise<ImageResult> | APIPromise<ImageStream> {
    const call = toRequestOptions(options);
    if (request.kind === "chat") return gateway.images.generateThroughChat(request.body, call);
    const streamed = this.settings.onPartialImage !== undefined;
    const own = options.providerOptions[PROVIDER_KEY]?.["partialImages"];
    const partial = streamed ? { partial_images: typeof own === "number" ? own : 1 } : {};
    if (request.kind === "edit") {
      const body = { ...request.body, ...partial };
      return streamed ? gateway.images.editStream(body, call) : gateway.images.edit(body, call);
    }
    const body = request.shape === "reference" ? request.body : { ...request.body, ...partial };
    return streamed ? gateway.images.stream(body, call) : gateway.images.generate(body, call);
  }

  private async readStream(stream: ImageStream): Promise<Made> {
    const images: GatewayImage[] = [];
    const errors: ImageError[] = [];
    const raw: unknown[] = [];
    let usage: unknown;
    for await (const event of stream) {
      if (event.type === "partial") {
        const { index, partialIndex, image } = event;
        this.settings.onPartialImage?.({
          index,
          partialIndex,
          image: await image.bytes(),
          mediaType: image.mediaType,
        });
        continue;
      }
      if (event.type === "completed") images.push(event.image);
      else raw.push(event.raw);
      if (event.type === "failed") errors.push(event.error);
      if ("usage" in event) usage = event.usage ?? usage;
    }
    return { images, errors, usage, raw, ...(stream.cost && { cost: stream.cost }) };
  }

  private async bytesOf(
    { images, raw }: Made,
    { abortSignal }: ImageModelV4CallOptions,
    url: string,
  ): Promise<Uint8Array[]> {
    const made = images.filter(({ error }) => error === undefined);
    try {
      return await Promise.all(made.map((image) => image.bytes({ signal: abortSignal })));
    } catch (cause) {
      if (abortSignal?.aborted) throw cause;
      throw resultDownloadError(cause, url, raw);
    }
  }
}

function metadataOf({
  images,
  errors = [],
  usage,
  cost,
  text,
  requestId,
}: Made): { images: JSONArray } & JSONObject {
  const made = images.filter(({ error }) => error === undefined);
  const failed = [...images.flatMap(({ error }) => error ?? []), ...errors];
  // A round trip through JSON leaves out what is undefined. The SDK needs the array whatever happens, and the facts about
  // the n-th image that was made in its n-th place.
  return JSON.parse(
    JSON.stringify({
      images: [
        ...made.map(({ url, revisedPrompt, mediaType }, index) => ({
          ...{ url, revisedPrompt, mediaType },
          // The SDK keeps nothing but this list: what the call cost stands in it once.
          cost: index === 0 ? cost : undefined,
        })),
        ...failed.map((error) => ({ error })),
      ],
      usage,
      text,
      requestId,
    }),
  );
}

function usageOf(usage: unknown): Pick<ImageModelV4Result, "usage"> {
  if (typeof usage !== "object" || usage === null) return {};
  const count = (...names: string[]) => {
    const found = names
      .map((name) => (usage as Record<string, unknown>)[name])
      .find((value) => typeof value === "number");
    return found as number | undefined;
  };
  return {
    usage: {
      inputTokens: count("input_tokens", "prompt_tokens"),
      outputTokens: count("output_tokens", "completion_tokens"),
      totalTokens: count("total_tokens"),
    },
  };
}
