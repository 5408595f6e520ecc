import type { ContentPart, ImagePart, TextPart } from "@model-gateway/core";

/** What a content block of LangChain is to the gateway, which has text and image parts only. */
export type ConvertedBlock =
  | { kind: "part"; part: ContentPart }
  /** The model's own reasoning; goes into a field of its own. */
  | { kind: "reasoning"; reasoning: string }
  /** Belongs to a message but is no content: a tool call, a citation. */
  | { kind: "skip" }
  /** The gateway has no place for it; `reason` completes a sentence about the block. */
  | { kind: "unsupported"; reason: string };

type Block = Record<string, unknown> & { type?: unknown };

const NOT_CONTENT = new Set([
  "tool_use",
  "tool_call",
  "tool_call_chunk",
  "invalid_tool_call",
  "input_json_delta",
  "function_call",
  "redacted_thinking",
  "citation",
  "server_tool_call",
  "server_tool_call_chunk",
  "server_tool_call_result",
  "non_standard",
]);

/** Media that LangChain has blocks for and the API has not. */
const UNSUPPORTED_MEDIA = new Set(["audio", "input_audio", "video", "file", "document", "media"]);

/**
 * Converts one block of a message. Images are read in every form that LangChain users write: standard blocks
 * (v1), data blocks (v0), `image_url` with a string or an object, Anthropic's `source`.
 */
export function convertContentBlock(block: unknown): ConvertedBlock {
  if (typeof block === "string") return text(block);
  if (typeof block !== "object" || block === null) return unsupported("is not a content block");
  const { type, ...fields } = block as Block;
  if (typeof type !== "string") return unsupported("has no type");
  if (type === "image" || type === "image_url" || type === "input_image") return convertImage(fields);
  if (UNSUPPORTED_MEDIA.has(type)) {
    return unsupported(
      `is of type ${type}: the API takes text and images only, so describe or transcribe it`,
    );
  }
  if (typeof fields["text"] === "string") return text(fields["text"]);
  if (type === "reasoning" || type === "thinking") {
    return { kind: "reasoning", reasoning: String(fields["reasoning"] ?? fields["thinking"] ?? "") };
  }
  if (NOT_CONTENT.has(type)) return { kind: "skip" };
  return unsupported(`is of type ${type}, which is neither text nor an image`);
}

function text(value: string): ConvertedBlock {
  return { kind: "part", part: { type: "text", text: value } satisfies TextPart };
}

function unsupported(reason: string): ConvertedBlock {
  return { kind: "unsupported", reason };
}

function convertImage(fields: Record<string, unknown>): ConvertedBlock {
  const { image_url: imageURL, source } = fields;
  if (typeof imageURL === "string") return image(imageURL);
  if (isRecord(imageURL) && typeof imageURL["url"] === "string") {
    const { url, detail } = imageURL;
    return image(url as string, detail as ImagePart["image_url"]["detail"]);
  }
  const from = isRecord(source) ? source : fields;
  if (typeof from["url"] === "string") return image(from["url"]);
  const { data } = from;
  if (typeof data === "string" || data instanceof Uint8Array) {
    const base64 = typeof data === "string" ? data : encodeBase64(data);
    if (base64.startsWith("data:")) return image(base64);
    const mediaType = from["mimeType"] ?? from["mime_type"] ?? from["media_type"] ?? sniffMediaType(base64);
    return image(`data:${String(mediaType)};base64,${base64}`);
  }
  return unsupported(
    "is an image without a URL or data (an id of an uploaded file, perhaps): pass url, or data with mimeType",
  );
}

function image(url: string, detail?: ImagePart["image_url"]["detail"]): ConvertedBlock {
  return {
    kind: "part",
    part: { type: "image_url", image_url: detail === undefined ? { url } : { url, detail } },
  };
}

/** First characters that the file signatures give in Base64. */
const SIGNATURES: ReadonlyArray<[start: string, mediaType: string]> = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
];

function sniffMediaType(base64: string): string {
  return SIGNATURES.find(([start]) => base64.startsWith(start))?.[1] ?? "image/png";
}

function encodeBase64(bytes: Uint8Array): string {
  let binary = "";
  // In slices: a call takes a limited number of arguments.
  for (let start = 0; start < bytes.length; start += 32_768) {
    binary += String.fromCharCode(...bytes.subarray(start, start + 32_768));
  }
  return btoa(binary);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
