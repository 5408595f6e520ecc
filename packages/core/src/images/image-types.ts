import type { Cost } from "../costs/cost.js";
import type { GatewayImage } from "./gateway-image.js";

/**
 * How a model is asked for images: `reference` (`POST /images/generations`, sizes such as `2K`, reference images by address,
 * sets), `base64` (`POST /images/generations` and `/images/edits`, sizes in pixels, answers in Base64) or `chat` (through
 * `POST /chat/completions`).
 */
export type ImageShape = "reference" | "base64" | "chat";

/** Fields of reference-image models on `POST /images/generations` (API description, variant 1). */
export interface ReferenceImageRequest {
  model: string;
  /** Chinese or English. */
  prompt: string;
  /** Reference images, URL or Base64; several are fused. */
  image?: string | string[];
  /** `2K`, `3K`, `4K`, or an explicit size in pixels; the range varies by model. */
  size?: "2K" | "3K" | "4K" | (string & {});
  response_format?: "url" | "b64_json";
  output_format?: "png" | "jpeg";
  watermark?: boolean;
  /** `auto` lets the model make a set of related images. */
  sequential_image_generation?: "auto" | "disabled";
  /** `max_images`: 1 to 15. */
  sequential_image_generation_options?: { max_images?: number };
  seed?: number;
  guidance_scale?: number;
}

/** Options that generation and editing share with Base64-only models. */
interface Base64ImageOptions {
  prompt: string;
  model?: string;
  size?: "1024x1024" | "1536x1024" | "1024x1536" | "auto" | (string & {});
  quality?: "low" | "medium" | "high" | "auto";
  background?: "transparent" | "opaque" | "auto";
  output_format?: "png" | "jpeg" | "webp";
  /** For `jpeg` and `webp`. */
  output_compression?: number;
  /** Intermediate images in a stream, 0 to 3. */
  partial_images?: number;
  /** Number of images; some models are stricter. */
  n?: number;
  moderation?: "auto" | "low";
  /** End-user identifier. */
  user?: string;
}

/** Fields of Base64-only models on `POST /images/generations` (variant 2). `response_format` is not supported. */
export interface Base64ImageRequest extends Base64ImageOptions {
  response_format?: never;
  image?: never;
}

/** Body of `POST /images/generations`; which variant a model takes is the model's. Further fields pass through. */
export type ImageGenerateRequest = ReferenceImageRequest | Base64ImageRequest;

/** A file to upload. A stream can be sent once only: such a call is never repeated. */
export type ImageInput =
  | Blob
  | Uint8Array
  | ReadableStream<Uint8Array>
  | { data: Blob | Uint8Array | ReadableStream<Uint8Array>; filename?: string; mediaType?: string };

/** Body of `POST /images/edits`, sent as a form. */
export interface ImageEditRequest extends Base64ImageOptions {
  /** 1 to 16, sent as parts `image[]` in this order. */
  images: readonly ImageInput[];
  /** Names the mask (sent as JSON text), or is its file. */
  mask?: { file_id: string } | { image_url: string } | ImageInput;
  input_fidelity?: "high" | "low";
}

/** What image calls return. */
export interface ImageResult {
  /** In the order of the answer. An image that failed on its own holds `error`. */
  images: GatewayImage[];
  /** As the gateway sent it; its structure varies with the model. */
  usage: unknown;
  /** What the call cost, where the client has `prices` and they, or the gateway, say. */
  cost?: Cost;
  /** The answer as it came. */
  raw: unknown;
}

/** An image made through the chat endpoint; `images` is empty when the answer holds none. */
export interface ChatImageResult extends ImageResult {
  /** The text of the answer, which may explain why there is no image. */
  text: string;
}

/** What an image of a request made through the chat endpoint may be. */
export type ChatImageInput = string | Blob | Uint8Array | { data: Blob | Uint8Array; mediaType?: string };

/** A request for the image-chat model (API description, image generation through chat). Further fields pass through. */
export interface ChatImageRequest {
  /** The image-chat model id. */
  model: string;
  /** The generation or edit request. */
  prompt: string;
  /** Images to work on: URLs, data URLs, or bytes, which become data URLs. */
  images?: readonly ChatImageInput[];
  /**
   * `<width>x<height>` or `auto`. Both sides divisible by 16, at least 655360 pixels, ratio at most 3:1: checked
   * before anything is sent.
   */
  size?: string;
  quality?: string;
  /** Where the size goes: `metadata.size` (default), or in front of the prompt. */
  sizePlacement?: "metadata" | "prompt";
  /** End-user identifier. */
  user?: string;
  /** Key-value pairs; `size` and `quality` are put among them. */
  metadata?: Record<string, unknown>;
}

/** An event of a streamed image call, of either family. `raw` is the event as it came. */
export type ImageStreamEvent =
  | {
      /** An intermediate picture of an image that is being made. */
      type: "partial";
      /** Which image of the set, from 0. */
      index: number;
      /** Which intermediate picture, from 0. */
      partialIndex: number;
      image: GatewayImage;
      raw: unknown;
    }
  | {
      /** A finished image. */ type: "completed";
      index: number;
      image: GatewayImage;
      usage: unknown;
      raw: unknown;
    }
  | {
      /** One image of a set failed; others may follow. */ type: "failed";
      index: number;
      error: ImageError;
      raw: unknown;
    }
  | {
      /** The end of a set, with the usage of all its images. */ type: "finished";
      usage: unknown;
      raw: unknown;
    };

/** Why one image of a set could not be made. */
export interface ImageError {
  code?: string;
  message: string;
}
