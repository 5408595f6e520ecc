import type { ContentPart, ImagePart } from "@model-gateway/core";
import { type ConvertedFile, convertFile, isFileBlock } from "./convert-file-parts.js";
import { encodeBase64 } from "./encode-base64.js";

/** What a content block of LangChain is to the gateway. */
export type ConvertedBlock =
  | { kind: "part"; part: ContentPart }
  /** The model's own reasoning; goes into a field of its own. */
  | { kind: "reasoning"; reasoning: string; details?: unknown }
  /** Belongs to a message but is no content: a tool call, a citation. */
  | { kind: "skip" }
  /** The gateway has no place for it; `reason` completes a sentence about the block. */
  | { kind: "unsupported"; reason: string };

export interface BlockConversion {
  /** Whether audio, video and files may be sent, as clients of the chat format send them. */
  fileParts: "openai" | undefined;
  /** The user's own blocks go out with all of their `extras`; answers may come from another provider. */
  ownBlocks: boolean;
}

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

/** Fields that models read beside a part's content; others are LangChain's own. */
const PART_FIELDS = ["cache_control", "extra_content"];

/**
 * Converts one block of a message. Images are read in every form that LangChain users write: standard blocks
 * (v1), data blocks (v0), `image_url` with a string or an object, Anthropic's `source`.
 */
export function convertContentBlock(
  block: unknown,
  { fileParts, ownBlocks }: BlockConversion,
): ConvertedBlock {
  if (typeof block === "string") return { kind: "part", part: { type: "text", text: block } };
  if (typeof block !== "object" || block === null) return unsupported("is not a content block");
  const { type, ...fields } = block as Block;
  if (typeof type !== "string") return unsupported("has no type");
  const extras = asRecord(fields["extras"]);
  const beside = {
    ...pick(extras, ownBlocks ? Object.keys(extras) : PART_FIELDS),
    ...pick(fields, PART_FIELDS),
  };
  if (type === "image" || type === "image_url" || type === "input_image") {
    return toBlock(convertImage(type, fields), beside);
  }
  if (isFileBlock(type)) return toBlock(convertFile(type, fields, fileParts), beside);
  if (typeof fields["text"] === "string") return toBlock({ type: "text", text: fields["text"] }, beside);
  if (type === "refusal") return { kind: "part", part: { type: "text", text: String(fields["refusal"]) } };
  if (type === "reasoning" || type === "thinking") {
    const reasoning = String(fields["reasoning"] ?? fields["thinking"] ?? "");
    return { kind: "reasoning", reasoning, details: extras["reasoning_details"] };
  }
  if (NOT_CONTENT.has(type)) return { kind: "skip" };
  return unsupported(`is of type ${type}, which is neither text nor an image`);
}

function toBlock(converted: ConvertedFile, beside: Record<string, unknown>): ConvertedBlock {
  if (typeof converted === "string") return unsupported(converted);
  return { kind: "part", part: { ...beside, ...converted } };
}

function pick(fields: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  const kept = names.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]);
  return Object.fromEntries(kept);
}

function unsupported(reason: string): ConvertedBlock {
  return { kind: "unsupported", reason };
}

function convertImage(type: string, fields: Record<string, unknown>): ConvertedFile {
  const { image_url: imageURL, source, metadata, extras } = fields;
  const detail = fields["detail"] ?? asRecord(metadata)["detail"] ?? asRecord(extras)["detail"];
  const wanted = detail === undefined ? {} : { detail: detail as ImagePart["image_url"]["detail"] };
  if (typeof asRecord(imageURL)["url"] === "string") {
    // The wire format itself: what else it says is meant for the model.
    const {
      index: _index,
      id: _id,
      metadata: _metadata,
      extras: _extras,
      detail: _detail,
      ...others
    } = fields;
    const own = type === "image_url" ? others : {};
    return { ...own, type: "image_url", image_url: { ...wanted, ...(imageURL as { url: string }) } };
  }
  const url = typeof imageURL === "string" ? imageURL : addressOf(isRecord(source) ? source : fields);
  return url === undefined
    ? "is an image without a URL or data (an id of an uploaded file, perhaps): pass url, or data with mimeType"
    : { type: "image_url", image_url: { url, ...wanted } };
}

function addressOf(fields: Record<string, unknown>): string | undefined {
  const { url, data } = fields;
  if (typeof url === "string") return url;
  if (typeof data !== "string" && !(data instanceof Uint8Array)) return undefined;
  const base64 = typeof data === "string" ? data : encodeBase64(data);
  if (base64.startsWith("data:")) return base64;
  const mediaType =
    fields["mimeType"] ?? fields["mime_type"] ?? fields["media_type"] ?? sniffMediaType(base64);
  return `data:${String(mediaType)};base64,${base64}`;
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function asRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}
