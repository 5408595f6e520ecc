import type { Cost } from "../costs/cost.js";
import type { VideoFamily, VideoTaskHandle } from "../tasks/video-task-handle.js";
import type { VideoStatus } from "./video-status.js";

/** A result of a task. URLs may expire: download promptly. */
export interface VideoFile {
  url: string;
  watermarkURL?: string;
  durationSeconds?: number;
}

/** A video task as last seen. */
export interface VideoTask {
  handle: VideoTaskHandle;
  id: string;
  family: VideoFamily;
  status: VideoStatus;
  /** The status as the gateway spelled it; undefined when the answer held none. */
  rawStatus?: string;
  /** 0 to 100, when the gateway tells. */
  progress?: number;
  /** Empty until the task has succeeded, and after that if the URL is in no known place: then look in `raw`. */
  videos: VideoFile[];
  lastFrameURL?: string;
  error?: { code?: string; message: string };
  /** As the gateway sent it; its structure varies. */
  usage?: unknown;
  /** What the task cost, when it has succeeded, where the client has `prices` and they, or the gateway, say. */
  cost?: Cost;
  /** Milliseconds since the epoch. */
  createdAt?: number;
  /** The answer as it came. */
  raw: unknown;
}

export interface VideoTextItem {
  type: "text";
  text: string;
}

export interface VideoImageItem {
  type: "image_url";
  /** Public URL, `data:image/…;base64,…`, or `asset://<asset id>`. */
  image_url: { url: string };
  /** May be left out for a single first frame. */
  role?: "first_frame" | "last_frame" | "reference_image";
}

export interface VideoReferenceItem {
  type: "video_url";
  /** Public URL or `asset://<asset id>`; 2.0 series only. */
  video_url: { url: string };
  role?: "reference_video";
}

export interface AudioReferenceItem {
  type: "audio_url";
  /** Public URL, `data:audio/…;base64,…`, or `asset://<asset id>`; 2.0 series only. */
  audio_url: { url: string };
  role?: "reference_audio";
}

export interface DraftTaskItem {
  type: "draft_task";
  draft_task: { id: string };
}

export type VideoContentItem =
  | VideoTextItem
  | VideoImageItem
  | VideoReferenceItem
  | AudioReferenceItem
  | DraftTaskItem;

/** Body of `POST /videos` (family `content`). Further fields pass through; what a model supports varies. */
export interface VideoCreateRequest {
  model: string;
  content: VideoContentItem[];
  /** Receives a notice at each status change. */
  callback_url?: string;
  return_last_frame?: boolean;
  service_tier?: string;
  /** Task time-out in seconds. Default 172800. */
  execution_expires_after?: number;
  /** Synchronised audio; 2.0 series and 1.5 Pro. */
  generate_audio?: boolean;
  /** 1.5 Pro only. */
  draft?: boolean;
  /** 2.0 series only. */
  tools?: Array<{ type: "web_search" }>;
  /** End-user identifier; a fixed hash that leads to no person is advised. */
  safety_identifier?: string;
  /** 2.0 series, usually 0 to 9. */
  priority?: number;
  resolution?: "480p" | "720p" | "1080p" | "4k" | (string & {});
  ratio?: "16:9" | "4:3" | "1:1" | "3:4" | "9:16" | "21:9" | "adaptive" | (string & {});
  /** Seconds; 2.0 series usually 4 to 15, or -1 for automatic where supported. */
  duration?: number;
  /** Length in frames; neither 2.0 series nor 1.5 Pro. */
  frames?: number;
  /** Not the 2.0 series. */
  seed?: number;
  camera_fixed?: boolean;
  watermark?: boolean;
}

/** Body of `POST /videos/image2video` (family `image2video`). Further fields pass through. */
export interface ImageToVideoRequest {
  model_name: string;
  prompt: string;
  /** First frame: public URL or Base64. */
  image: string;
  mode?: "std" | "pro" | (string & {});
  /** Seconds; common are 5 and 10. */
  duration?: string | number;
  sound?: "on" | "off";
  negative_prompt?: string;
  /** Range depends on the model. */
  cfg_scale?: number;
  /** Receives a notice at each status change. */
  callback_url?: string;
  /** The caller's own id of the task. Default: the call's `idempotencyKey`, when one is given. */
  external_task_id?: string;
}

/** Body of `POST /videos/omni-video` (family `omni-video`). Further fields pass through. */
export interface OmniVideoRequest {
  model_name: string;
  /** May name the images of `image_list` by `<<<image_1>>>`, `<<<image_2>>>` and so on, in list order. */
  prompt: string;
  /** Public URLs or Base64. */
  image_list?: Array<{ image_url: string }>;
  /** Reference videos for base video, motion or sound; their fields are those of the model. */
  video_list?: Array<Record<string, unknown>>;
  mode?: "std" | "pro" | (string & {});
  /** Seconds; common are 5 and 10. */
  duration?: string | number;
  aspect_ratio?: "16:9" | "9:16" | "1:1" | (string & {});
  negative_prompt?: string;
  /** Range depends on the model. */
  cfg_scale?: number;
  /** Receives a notice at each status change. */
  callback_url?: string;
  /** The caller's own id of the task. Default: the call's `idempotencyKey`, when one is given. */
  external_task_id?: string;
}

/** The body that each family takes. */
export interface VideoRequests {
  content: VideoCreateRequest;
  image2video: ImageToVideoRequest;
  "omni-video": OmniVideoRequest;
}

/** A body with the family that it belongs to: what {@link Videos.createIn} takes, as one value. */
export type VideoSubmission = {
  [Family in VideoFamily]: { family: Family; body: VideoRequests[Family] };
}[VideoFamily];
