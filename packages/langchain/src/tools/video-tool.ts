import {
  type APIPromise,
  type Cost,
  type ImageToVideoRequest,
  type ModelGateway,
  type OmniVideoRequest,
  type VideoCreateRequest,
  type VideoFile,
  type VideoStatus,
  type VideoSubmission,
  type VideoTask,
  VideoTaskFailedError,
  type VideoTaskHandle,
  videoOutcome,
} from "@model-gateway/core";
import {
  type ContentAndArtifact,
  createGatewayTool,
  type GatewayTool,
  type ToolDescription,
} from "./gateway-tool.js";

/** Arguments that the model fills in. */
export interface VideoInput {
  prompt: string;
  /** Link or data URL of the first frame (of a reference image in family `omni-video`). */
  image?: string;
  /** Seconds; only asked for when the tool was given `durations`. */
  duration?: number;
}

/** What `generate_video` yields on its way: first the new task, then every change. Plain JSON. */
export interface VideoProgress {
  type: "video_progress";
  /** Keep it: with it, any process can go on watching the task. */
  handle: VideoTaskHandle;
  status: VideoStatus;
  /** 0 to 100, when the gateway tells. */
  progress?: number;
}

/** Artifact of `generate_video`. Plain JSON. */
export interface VideoArtifact {
  type: "video";
  model: string;
  handle: VideoTaskHandle;
  /** Links may expire: download promptly with `gateway.download`. */
  videos: VideoFile[];
  lastFrameURL?: string;
  /** As the gateway sent it; its structure varies. */
  usage?: unknown;
  /** What the task cost, where the client has `prices`. */
  cost?: Cost;
  /** The last answer, when it names no video in a known place. */
  raw?: unknown;
}

/** Where the model is served and what every call sends. */
export type VideoRoute =
  | {
      /** `POST /videos`. The default. */
      family?: "content";
      /** Fields of every request, such as `{ resolution: "720p", ratio: "16:9" }`. */
      request?: Partial<Omit<VideoCreateRequest, "model" | "content">>;
    }
  | {
      /** `POST /videos/image2video`: the model has to name a first frame. */
      family: "image2video";
      request?: Partial<Omit<ImageToVideoRequest, "model_name" | "prompt" | "image" | "external_task_id">>;
    }
  | {
      /** `POST /videos/omni-video`. */
      family: "omni-video";
      request?: Partial<Omit<OmniVideoRequest, "model_name" | "prompt" | "image_list" | "external_task_id">>;
    };

/** Fields of {@link videoTool}. */
export type VideoToolFields = VideoRoute &
  ToolDescription & {
    gateway: Pick<ModelGateway, "videos">;
    /** A video model available to the key. */
    model: string;
    /** Lengths in seconds among which the model may choose. Without them it is not asked, and `request.duration` holds. */
    durations?: readonly number[];
    /** First distance between polls in milliseconds. Default 5000. */
    intervalMs?: number;
    /** Stops waiting after this time, in milliseconds; the task itself goes on. Default: never. */
    timeoutMs?: number;
  };

/**
 * Tool `generate_video`: creates a task and waits for its video. Every change is yielded as {@link VideoProgress},
 * which LangChain hands to `handleToolEvent` callbacks and to `streamMode: "tools"`. The artifact is a
 * {@link VideoArtifact}. When waiting fails, the artifact of the error holds the task's handle.
 */
export function videoTool(fields: VideoToolFields): GatewayTool<VideoInput, "generate_video", VideoProgress> {
  const { durations = [], description, family } = fields;
  const duration = { type: "number", enum: [...durations], description: "Length in seconds." } as const;
  return createGatewayTool({
    name: "generate_video",
    description:
      description ??
      "Generates a short video from a description. Takes minutes and costs money: call it once per video that is wanted.",
    schema: {
      type: "object",
      properties: {
        prompt: { type: "string", minLength: 1, description: "What happens in the video, in detail." },
        image: {
          type: "string",
          pattern: "^(https?://|data:image/)",
          description:
            family === "omni-video"
              ? "Link or data URL of a reference image, which the prompt calls <<<image_1>>>."
              : "Link or data URL of the first frame.",
        },
        ...(durations.length > 0 ? { duration } : {}),
      },
      required: family === "image2video" ? ["prompt", "image"] : ["prompt"],
    },
    retryBillable: fields.retryBillable,
    run: (input: VideoInput, signal) => makeVideo(fields, input, signal),
  });
}

async function* makeVideo(
  fields: VideoToolFields,
  input: VideoInput,
  signal: AbortSignal | undefined,
): AsyncGenerator<VideoProgress, ContentAndArtifact<VideoArtifact>> {
  const { gateway, model, intervalMs, timeoutMs } = fields;
  let task = await createTask(fields, input, signal);
  yield toProgress(task);
  for await (const change of gateway.videos.watch(task.handle, { intervalMs, timeoutMs, signal })) {
    // The watch begins with the task as it is, which may be as it was created.
    const changed = change.status !== task.status || change.progress !== task.progress;
    task = change;
    if (changed) yield toProgress(task);
  }
  if (videoOutcome(task) !== "success") throw new VideoTaskFailedError(task);
  return [describe(task), toArtifact(model, task)];
}

function createTask(
  fields: VideoToolFields,
  input: VideoInput,
  signal: AbortSignal | undefined,
): APIPromise<VideoTask> {
  const { family, body } = toSubmission(fields, input);
  return fields.gateway.videos.createIn(family, body, { signal, budgetTag: fields.budgetTag });
}

/** What prompt, picture and length are called in each family. */
function toSubmission(fields: VideoToolFields, { prompt, image, duration }: VideoInput): VideoSubmission {
  const length = duration === undefined ? {} : { duration };
  switch (fields.family) {
    case "image2video": {
      // The schema requires it; an empty one is refused by the client before anything is sent.
      const named = { model_name: fields.model, prompt, image: image ?? "" };
      return { family: fields.family, body: { ...fields.request, ...length, ...named } };
    }
    case "omni-video": {
      const images = image === undefined ? {} : { image_list: [{ image_url: image }] };
      const named = { model_name: fields.model, prompt };
      return { family: fields.family, body: { ...fields.request, ...length, ...images, ...named } };
    }
    default: {
      const content: VideoCreateRequest["content"] = [{ type: "text", text: prompt }];
      if (image !== undefined)
        content.push({ type: "image_url", image_url: { url: image }, role: "first_frame" });
      return { family: "content", body: { ...fields.request, ...length, model: fields.model, content } };
    }
  }
}

function toProgress({ handle, status, progress }: VideoTask): VideoProgress {
  return { type: "video_progress", handle, status, ...(progress === undefined ? {} : { progress }) };
}

function toArtifact(
  model: string,
  { handle, videos, lastFrameURL, usage, cost, raw }: VideoTask,
): VideoArtifact {
  return {
    type: "video",
    model,
    handle,
    videos,
    ...(lastFrameURL === undefined ? {} : { lastFrameURL }),
    ...(usage === undefined ? {} : { usage }),
    ...(cost === undefined ? {} : { cost }),
    ...(videos.length === 0 ? { raw } : {}),
  };
}

function describe({ id, videos }: VideoTask): string {
  if (videos.length === 0) return `Video task ${id} is done, and the application has its result.`;
  return `The video was generated: ${videos.map(({ url }) => url).join(" ")}`;
}
