import type { Unreadable } from "../call/sender.js";
import type { Downloader } from "../download/download.js";
import { Base64Content } from "./base64-content.js";
import { GatewayImage } from "./gateway-image.js";
import type { ImageError, ImageResult } from "./image-types.js";

type JSONObject = Record<string, unknown>;

/** Reads the answer of a generation or an edit, of either variant. */
export function readImageResult(body: unknown, download: Downloader, unreadable: Unreadable): ImageResult {
  const { data, output_format: format, usage } = (body ?? {}) as JSONObject;
  if (!Array.isArray(data)) throw unreadable("JSON that holds no images: data is not an array");
  const images = data.map((item: unknown) => readImage(item, format, download));
  return { images, usage, raw: body };
}

/** One image of an answer, or of an event of a stream. */
export function readImage(item: unknown, format: unknown, download: Downloader): GatewayImage {
  const fields = (item ?? {}) as JSONObject;
  const { url, revised_prompt: revisedPrompt, error, output_format: own } = fields;
  return new GatewayImage(
    {
      url: text(url),
      base64: Base64Content.of(fields, "b64_json") ?? text(fields["b64_json"]),
      revisedPrompt: text(revisedPrompt),
      mediaType: mediaTypeOf(own ?? format),
      error: readImageError(error),
    },
    download,
  );
}

export function readImageError(error: unknown): ImageError | undefined {
  if (error === undefined || error === null) return undefined;
  if (typeof error === "string") return { message: error };
  const { code, message } = error as JSONObject;
  return {
    ...(text(code) === undefined ? {} : { code: text(code) as string }),
    message: text(message) ?? "the gateway gives no reason",
  };
}

function mediaTypeOf(format: unknown): string | undefined {
  const name = text(format)?.toLowerCase();
  return name === undefined ? undefined : `image/${name === "jpg" ? "jpeg" : name}`;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
