import { type LanguageModelV4FilePart, UnsupportedFunctionalityError } from "@ai-sdk/provider";
import { convertToBase64, getTopLevelMediaType, resolveFullMediaType } from "@ai-sdk/provider-utils";
import type { ContentPart, ImagePart } from "@model-gateway/core";
import { PROVIDER_KEY } from "./model-gateway-config.js";
import { wireFields } from "./wire-fields.js";

/** Media types of text that are not `text/…`. */
const TEXT_TYPES = /^application\/(json|xml|yaml|x-yaml|javascript|sql)$|^application\/[\w.-]+\+(json|xml)$/;

/** Formats of audio whose name is not what their media type says. */
const AUDIO_FORMATS: Record<string, string> = { mpeg: "mp3", "x-wav": "wav", wave: "wav" };

/** A file of a prompt, as far as a part of a message can be one. */
export type PromptFile = Pick<LanguageModelV4FilePart, "data" | "mediaType" | "filename" | "providerOptions">;

/**
 * A file as a part of a message. The API has text and images; what else there is goes out only where the model is said
 * to take it.
 *
 * @throws UnsupportedFunctionalityError that names the media type and what to do
 */
export function convertFilePart(file: PromptFile, fileParts: "openai" | undefined): ContentPart {
  const fields = wireFields(file.providerOptions);
  const text = textOf(file);
  if (text !== undefined) return { type: "text", text, ...fields };
  const kind = getTopLevelMediaType(file.mediaType);
  if (kind === "image" && file.data.type !== "reference") return imagePart(file, fields);
  if (fileParts === undefined) throw unsupported(file, `; fileParts: "openai" sends it`);
  return { ...otherPart(file, kind), ...fields };
}

function textOf({ data, mediaType }: PromptFile): string | undefined {
  if (data.type === "text") return data.text;
  const isText = getTopLevelMediaType(mediaType) === "text" || TEXT_TYPES.test(mediaType);
  if (data.type !== "data" || !isText) return undefined;
  const bytes = Uint8Array.from(atob(convertToBase64(data.data)), (character) => character.charCodeAt(0));
  return new TextDecoder().decode(bytes);
}

function imagePart(file: PromptFile, { detail, ...fields }: Record<string, unknown>): ContentPart {
  const image = { url: addressOf(file), ...(detail === undefined ? {} : { detail }) };
  return { type: "image_url", image_url: image as ImagePart["image_url"], ...fields };
}

/** As clients of the chat format send what its description does not list. */
function otherPart(file: PromptFile, kind: string): ContentPart {
  const { data, filename } = file;
  if (data.type === "reference") {
    const id = data.reference[PROVIDER_KEY];
    if (id === undefined) throw unsupported(file, `; it has no id for ${PROVIDER_KEY}`);
    return { type: "file", file: { file_id: id } };
  }
  if (kind === "video") return { type: "video_url", video_url: { url: addressOf(file) } };
  if (kind === "audio" && data.type === "data") {
    const [, subtype = ""] = resolveFullMediaType({ part: { type: "file", ...file } }).split("/");
    const format = AUDIO_FORMATS[subtype] ?? subtype;
    return { type: "input_audio", input_audio: { data: convertToBase64(data.data), format } };
  }
  return { type: "file", file: { filename: filename ?? "file", file_data: addressOf(file) } };
}

function addressOf(file: PromptFile): string {
  const { data } = file;
  if (data.type === "url") return data.originalUrl ?? data.url.href;
  if (data.type !== "data") throw unsupported(file);
  return `data:${resolveFullMediaType({ part: { type: "file", ...file } })};base64,${convertToBase64(data.data)}`;
}

function unsupported({ data, mediaType }: PromptFile, what = ""): UnsupportedFunctionalityError {
  const kind = data.type === "reference" ? "file references" : `file parts of type ${mediaType}`;
  return new UnsupportedFunctionalityError({ functionality: kind + what });
}
