import {
  InvalidArgumentError,
  type JSONObject,
  type JSONValue,
  type Experimental_VideoModelV4 as VideoModelV4,
  type Experimental_VideoModelV4CallOptions as VideoModelV4CallOptions,
  type Experimental_VideoModelV4OperationStartResult as VideoModelV4OperationStartResult,
  type Experimental_VideoModelV4OperationStatusResult as VideoModelV4OperationStatusResult,
  type Experimental_VideoModelV4VideoData as VideoModelV4VideoData,
} from "@ai-sdk/provider";
import { WORKFLOW_DESERIALIZE, WORKFLOW_SERIALIZE } from "@ai-sdk/provider-utils";
import type { VideoFamily, VideoTask, VideoTaskHandle } from "@model-gateway/core";
import { VideoTaskFailedError, VideoTaskTimeoutError } from "@model-gateway/core/errors";
import { createVideos, videoOutcome } from "@model-gateway/core/videos";
import { afterPaying, toSDKError } from "./map-error.js";
import {
  type ModelConfig,
  PROVIDER_KEY,
  type SDKCallOptions,
  toRequestOptions,
} from "./model-gateway-config.js";
import { PaidCalls } from "./paid-calls.js";
import { perConnection } from "./per-connection.js";
import { prepareVideoRequest } from "./prepare-video-request.js";
import { resultClient } from "./result-client.js";
import { restoreConfig, type StoredModel, storeModel } from "./stored-model.js";

type WebhookOption = Parameters<NonNullable<VideoModelV4["handleWebhookOption"]>>[0];

/** What `doStart` hands to `doStatus`: JSON, so that any process can take it up. */
interface Operation {
  v: 1;
  handle: VideoTaskHandle;
  /** Started with a callback: `doStatus` is asked once, after the first notification. */
  webhook?: true;
}

/** Settings of `modelGateway.video(id, settings)`. */
export interface ModelGatewayVideoModelSettings {
  /** Which way of creating tasks the model has. Default `content` (`POST /videos`). */
  family?: VideoFamily;
}

/** How long `doStatus` waits for a task whose first notification was not its last, in milliseconds. */
const WEBHOOK_WAIT_MS = 900_000;

/** As much of the client as these models use: a bundle of them alone holds no more. */
const gatewayOf = /* @__PURE__ */ perConnection((connection) => ({
  ...resultClient(connection),
  videos: createVideos(connection),
}));

type VideoClient = ReturnType<typeof gatewayOf>;

/**
 * Video models of the gateway, of all three families, as an AI SDK video model. It starts and reports only: the SDK polls, and a poll that fails can never submit the task again.
 */
export class ModelGatewayVideoModel implements VideoModelV4 {
  readonly specificationVersion = "v4";
  /** A task makes one video. */
  readonly maxVideosPerCall = 1;

  private readonly paid: PaidCalls;

  constructor(
    readonly modelId: string,
    private readonly settings: ModelGatewayVideoModelSettings,
    private readonly config: ModelConfig,
  ) {
    this.paid = new PaidCalls(config.connection.retryBillable ?? false);
  }

  /** Writes the model down between the steps of a workflow: with the name of the key's variable, never with the key. */
  static [WORKFLOW_SERIALIZE](model: ModelGatewayVideoModel): StoredModel {
    return storeModel(model.modelId, model.settings, model.config);
  }

  static [WORKFLOW_DESERIALIZE](stored: StoredModel): ModelGatewayVideoModel {
    return new ModelGatewayVideoModel(stored.modelId, stored.settings, restoreConfig(stored));
  }

  get provider(): string {
    return this.config.provider;
  }

  async doStart(
    options: VideoModelV4CallOptions & { webhookUrl?: string },
  ): Promise<VideoModelV4OperationStartResult> {
    return this.paid.once(options, () => this.start(options));
  }

  private async start(
    options: VideoModelV4CallOptions & { webhookUrl?: string },
  ): Promise<VideoModelV4OperationStartResult> {
    const prepared = await prepareVideoRequest(this.modelId, this.settings.family, options);
    const { warnings } = prepared;
    return this.withGateway(async (gateway) => {
      const {
        data: task,
        response,
        requestId,
      } = await gateway.videos
        .createIn(prepared.family, prepared.body, toRequestOptions(options))
        .withResponse();
      const operation: Operation = {
        v: 1,
        handle: task.handle,
        ...(options.webhookUrl === undefined ? {} : { webhook: true }),
      };
      return {
        operation: operation as unknown as JSONValue,
        warnings,
        providerMetadata: { [PROVIDER_KEY]: metadataOf(task, requestId) },
        response: this.responseOf(response.headers),
      };
    });
  }

  async doStatus({
    operation,
    ...options
  }: SDKCallOptions & { operation: JSONValue }): Promise<VideoModelV4OperationStatusResult> {
    const { handle, webhook } = readOperation(operation);
    return this.withGateway<VideoModelV4OperationStatusResult>(async (gateway) => {
      // The SDK gives up when the task is not over after the first notification, which may only say that it runs.
      if (webhook) await untilOver(gateway, handle, options.abortSignal);
      const {
        data: task,
        response,
        requestId,
      } = await gateway.videos.retrieve(handle, toRequestOptions(options)).withResponse();
      const common = {
        providerMetadata: { [PROVIDER_KEY]: metadataOf(task, requestId) },
        response: this.responseOf(response.headers),
      };
      switch (videoOutcome(task)) {
        case "pending":
          return { status: "pending", ...common };
        case "failure":
          return { status: "error", error: new VideoTaskFailedError(task).message, ...common };
        case "success":
          return {
            status: "completed",
            videos: await fetchVideos(gateway, task, options),
            warnings: [],
            ...common,
          };
      }
    }).catch((error: unknown) => {
      throw afterPaying(error);
    });
  }

  /** The gateway notifies at every change of status: see `doStatus`. */
  async handleWebhookOption({
    webhook,
  }: WebhookOption): Promise<Awaited<ReturnType<NonNullable<VideoModelV4["handleWebhookOption"]>>>> {
    const { url, received } = await webhook();
    return { webhookUrl: url, received };
  }

  private responseOf(headers: Headers) {
    return { timestamp: new Date(), modelId: this.modelId, headers: Object.fromEntries(headers) };
  }

  private async withGateway<T>(run: (gateway: VideoClient) => Promise<T>): Promise<T> {
    let baseURL = "";
    try {
      const gateway = gatewayOf(this.config.connect());
      baseURL = gateway.baseURL;
      return await run(gateway);
    } catch (error) {
      throw toSDKError(error, baseURL);
    }
  }
}

async function untilOver(
  gateway: VideoClient,
  handle: VideoTaskHandle,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    for await (const _task of gateway.videos.watch(handle, { signal, timeoutMs: WEBHOOK_WAIT_MS }));
  } catch (error) {
    // Still pending: the caller is told so, and can go on asking with the same operation.
    if (!VideoTaskTimeoutError.isInstance(error)) throw error;
  }
}

/**
 * A result on the gateway's own host needs the key, which the SDK's download does not have: it is fetched here.
 * Others go to the SDK as URLs.
 */
function fetchVideos(
  gateway: VideoClient,
  task: VideoTask,
  { abortSignal }: SDKCallOptions,
): Promise<VideoModelV4VideoData[]> {
  return Promise.all(
    task.videos.map(async ({ url }): Promise<VideoModelV4VideoData> => {
      // An empty media type lets the SDK look at the file itself.
      if (!gateway.isOwnOrigin(url)) return { type: "url", url, mediaType: "" };
      const file = await gateway.download(url, { signal: abortSignal });
      return { type: "binary", data: await file.bytes(), mediaType: file.contentType };
    }),
  );
}

/** Everything worth keeping: the SDK's result has no place for it. */
function metadataOf(task: VideoTask, requestId: string | undefined): JSONObject {
  const { id, family, status, rawStatus, progress, videos, lastFrameURL, error, usage, cost, raw } = task;
  // A round trip through JSON leaves out what is undefined; the task came as JSON in the first place.
  return JSON.parse(
    JSON.stringify({
      requestId,
      taskId: id,
      family,
      status,
      rawStatus,
      progress,
      videos,
      lastFrameURL,
      error,
      usage,
      cost,
      raw,
    }),
  );
}

function readOperation(operation: JSONValue): Operation {
  const candidate = operation as Partial<Operation> | null;
  if (typeof candidate === "object" && candidate?.v === 1 && candidate.handle !== undefined)
    return candidate as Operation;
  throw new InvalidArgumentError({
    argument: "operation",
    message: "This operation was not started by the model gateway provider.",
  });
}
