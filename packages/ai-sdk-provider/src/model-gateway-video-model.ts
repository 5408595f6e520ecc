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
import {
  type ModelGateway,
  type VideoTask,
  VideoTaskFailedError,
  type VideoTaskHandle,
  videoOutcome,
} from "@model-gateway/core";
import { toSDKError } from "./map-error.js";
import {
  type ModelConfig,
  PROVIDER_KEY,
  type SDKCallOptions,
  toRequestOptions,
} from "./model-gateway-config.js";
import { prepareVideoRequest } from "./prepare-video-request.js";

/** What `doStart` hands to `doStatus`: JSON, so that any process can take it up. */
interface Operation {
  v: 1;
  handle: VideoTaskHandle;
}

/**
 * Video models of the gateway (`POST /videos` and `GET /videos/{task_id}`) as an AI SDK video model. It starts
 * and reports only: the SDK polls, and a poll that fails can never submit the task again.
 */
export class ModelGatewayVideoModel implements VideoModelV4 {
  readonly specificationVersion = "v4";
  /** A task makes one video. */
  readonly maxVideosPerCall = 1;

  constructor(
    readonly modelId: string,
    private readonly config: ModelConfig,
  ) {}

  get provider(): string {
    return this.config.provider;
  }

  async doStart(
    options: VideoModelV4CallOptions & { webhookUrl?: string },
  ): Promise<VideoModelV4OperationStartResult> {
    const { body, warnings } = await prepareVideoRequest(this.modelId, options);
    return this.withGateway(async (gateway) => {
      const { data: task, response } = await gateway.videos
        .create(body, toRequestOptions(options))
        .withResponse();
      const operation: Operation = { v: 1, handle: task.handle };
      return {
        operation: operation as unknown as JSONValue,
        warnings,
        providerMetadata: { [PROVIDER_KEY]: metadataOf(task) },
        response: this.responseOf(response.headers),
      };
    });
  }

  async doStatus({
    operation,
    ...options
  }: SDKCallOptions & { operation: JSONValue }): Promise<VideoModelV4OperationStatusResult> {
    const { handle } = readOperation(operation);
    return this.withGateway(async (gateway) => {
      const { data: task, response } = await gateway.videos
        .retrieve(handle, toRequestOptions(options))
        .withResponse();
      const common = {
        providerMetadata: { [PROVIDER_KEY]: metadataOf(task) },
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
    });
  }

  private responseOf(headers: Headers) {
    return { timestamp: new Date(), modelId: this.modelId, headers: Object.fromEntries(headers) };
  }

  private async withGateway<T>(run: (gateway: ModelGateway) => Promise<T>): Promise<T> {
    let baseURL = "";
    try {
      const gateway = this.config.gateway();
      baseURL = gateway.baseURL;
      return await run(gateway);
    } catch (error) {
      throw toSDKError(error, baseURL);
    }
  }
}

/**
 * A result on the gateway's own host needs the key, which the SDK's download does not have: it is fetched here.
 * Others go to the SDK as URLs.
 */
function fetchVideos(
  gateway: ModelGateway,
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
function metadataOf(task: VideoTask): JSONObject {
  const { id, family, status, rawStatus, progress, videos, lastFrameUrl, error, usage, raw } = task;
  // A round trip through JSON leaves out what is undefined; the task came as JSON in the first place.
  return JSON.parse(
    JSON.stringify({
      taskId: id,
      family,
      status,
      rawStatus,
      progress,
      videos,
      lastFrameUrl,
      error,
      usage,
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
