import type { ContentPart } from "@model-gateway/core";
import { encodeBase64 } from "./encode-base64.js";

/** The part that is sent, or the reason why the block cannot be sent, which completes a sentence about it. */
export type ConvertedFile = ContentPart | string;

type Fields = Record<string, unknown>;

const FILE_TYPES = new Set([
  "audio",
  "input_audio",
  "video",
  "video_url",
  "file",
  "input_file",
  "document",
  "media",
  "text-plain",
]);

/** Media types whose files are read as text by everybody. */
const TEXT_TYPES =
  /^(text\/|application\/(json|xml|yaml|x-yaml|toml|javascript|typescript|sql|x-sh|x-ndjson)\b|[^;]*\+(json|xml)\b)/i;

/** Names that the chat format has for the kinds of sound; others are their own subtype. */
const AUDIO_FORMATS: Readonly<Record<string, string>> = {
  mpeg: "mp3",
  "x-wav": "wav",
  wave: "wav",
  "x-m4a": "m4a",
  mp4: "m4a",
};

/** Whether a block is a file of any kind but an image. */
export function isFileBlock(type: string): boolean {
  return FILE_TYPES.has(type);
}

/**
 * Converts a file: text files are sent as text, which every model reads. The API has no place for others; with
 * `fileParts: "openai"` they are sent as clients of the chat format send them.
 */
export function convertFile(type: string, fields: Fields, fileParts: "openai" | undefined): ConvertedFile {
  const file = describeFile(type, fields);
  const text = readText(file);
  if (text !== undefined) {
    const title = file.name === undefined ? "" : `${file.name}:\n\n`;
    return { type: "text", text: title + text };
  }
  if (type === "text-plain" || TEXT_TYPES.test(file.mediaType ?? ""))
    return "is a text file by its address or id: pass its text, or its data";
  if (fileParts === undefined) {
    return (
      `is of type ${type}: the API takes text and images only, so describe or transcribe it, ` +
      'or set fileParts: "openai" for a model that takes such parts'
    );
  }
  return toWirePart(type, fields, file);
}

interface FileDescription {
  mediaType: string | undefined;
  name: string | undefined;
  text: string | undefined;
  url: string | undefined;
  /** Base64. */
  data: string | undefined;
  id: string | undefined;
}

function describeFile(type: string, fields: Fields): FileDescription {
  const { source, metadata } = fields;
  const from = isRecord(source) ? { ...fields, ...source } : fields;
  const mediaType = text(from["mimeType"] ?? from["mime_type"] ?? from["media_type"]);
  const { filename = fields["filename"], name = filename, title = name } = isRecord(metadata) ? metadata : {};
  const { data } = from;
  const base64 = data instanceof Uint8Array ? encodeBase64(data) : text(data);
  const { mediaType: urlType, data: content } = splitDataURL(base64);
  return {
    mediaType: mediaType ?? urlType ?? (type === "text-plain" ? "text/plain" : undefined),
    name: text(fields["title"]) ?? text(title),
    text: text(from["text"]),
    url: text(from["url"]),
    data: content,
    id: text(from["fileId"] ?? from["file_id"] ?? (from["source_type"] === "id" ? from["id"] : undefined)),
  };
}

/** Data may be a data URL, too. */
function splitDataURL(data: string | undefined): { mediaType?: string; data: string | undefined } {
  const comma = data?.startsWith("data:") ? data.indexOf(",") : -1;
  if (data === undefined || comma === -1) return { data };
  const mediaType = data.slice("data:".length, comma).split(";")[0];
  return { ...(mediaType ? { mediaType } : {}), data: data.slice(comma + 1) };
}

function readText({ text: written, mediaType, data }: FileDescription): string | undefined {
  if (written !== undefined) return written;
  if (data === undefined || !TEXT_TYPES.test(mediaType ?? "")) return undefined;
  try {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function toWirePart(type: string, fields: Fields, file: FileDescription): ConvertedFile {
  const { mediaType = "", name, url, data, id } = file;
  // The wire format itself goes out as it is.
  for (const field of ["input_audio", "video_url", "file"])
    if (isRecord(fields[field])) return { type: field, [field]: fields[field] } as unknown as ContentPart;
  const dataURL = data === undefined ? undefined : `data:${mediaType};base64,${data}`;
  if (type === "audio" || mediaType.startsWith("audio/")) {
    if (data === undefined) return "is audio by its address or id: pass its data with mimeType";
    const subtype = /^audio\/([^;]+)/i.exec(mediaType)?.[1]?.toLowerCase();
    if (subtype === undefined) return "is audio without a mimeType, such as audio/wav";
    return { type: "input_audio", input_audio: { data, format: AUDIO_FORMATS[subtype] ?? subtype } };
  }
  const address = url ?? dataURL;
  if (type === "video" || type === "video_url" || mediaType.startsWith("video/")) {
    if (address === undefined) return "is a video without a URL or data: pass url, or data with mimeType";
    return { type: "video_url", video_url: { url: address } };
  }
  if (id !== undefined) return { type: "file", file: { file_id: id } };
  if (address === undefined) return "is a file without a URL, data or id";
  return { type: "file", file: { filename: name ?? defaultName(mediaType), file_data: address } };
}

/** Routes ask for a name, and some read the kind of the file from it. */
function defaultName(mediaType: string): string {
  return mediaType === "application/pdf" ? "document.pdf" : "document";
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}
