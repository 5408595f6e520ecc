import { createHash } from "node:crypto";
import { mapStrings } from "../json/map-strings.js";

/** A text with media in it: each stands as a file between what is around it. */
interface TextWithMedia {
  $parts: (string | { file: string })[];
}

/** Shorter ones are no picture, and easy to read over. */
const BASE64 = /[A-Za-z0-9+/]{256,}={0,2}/g;
const PARTS = "$parts";

/** Puts a file beside the recording. @returns its name */
export type KeepFile = (bytes: Uint8Array, extension: string) => string;

/** A copy of a JSON value in which media, that stood in it as Base64, are files. */
export function takeMediaOut(value: unknown, keep: KeepFile): unknown {
  return mapStrings(value, (text) => {
    const parts = splitMedia(text).map((part) =>
      typeof part === "string" ? part : { file: keep(part.bytes, part.extension) },
    );
    return parts.some((part) => typeof part !== "string") ? { [PARTS]: parts } : text;
  });
}

/** Whether a value could be taken for one with media in files. */
export function hasParts(text: string): boolean {
  return text.includes(PARTS);
}

/** The value that `takeMediaOut` was given. @param files by their names */
export function putMediaBack(value: unknown, files: ReadonlyMap<string, Uint8Array>): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => putMediaBack(item, files));
  if (isTextWithMedia(value)) {
    return value.$parts
      .map((part) =>
        typeof part === "string" ? part : Buffer.from(files.get(part.file) ?? []).toString("base64"),
      )
      .join("");
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, putMediaBack(member, files)]),
  );
}

/** The names of the files in a value, with what is none: whoever reads them checks them. */
export function mediaNamesIn(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(mediaNamesIn);
  if (isTextWithMedia(value)) {
    return value.$parts.flatMap((part) => (typeof part === "string" ? [] : [part?.file]));
  }
  return Object.values(value).flatMap(mediaNamesIn);
}

/** A copy of a JSON value that says of media what they are, and not what they hold. */
export function digestMedia(value: unknown): unknown {
  return mapStrings(value, (text) =>
    splitMedia(text)
      .map((part) => (typeof part === "string" ? part : `(${digestOf(part.bytes)})`))
      .join(""),
  );
}

/** What bytes are: enough to tell them from others. */
export function digestOf(bytes: Uint8Array): string {
  return `${bytes.byteLength} bytes, sha256 ${createHash("sha256").update(bytes).digest("hex")}`;
}

function splitMedia(text: string): (string | { bytes: Buffer; extension: string })[] {
  const parts: (string | { bytes: Buffer; extension: string })[] = [];
  let at = 0;
  for (const match of text.length < 256 ? [] : text.matchAll(BASE64)) {
    const [encoded] = match;
    const bytes = Buffer.from(encoded, "base64");
    const extension = mediaExtension(bytes);
    if (extension === undefined || bytes.toString("base64") !== encoded) continue;
    if (match.index > at) parts.push(text.slice(at, match.index));
    parts.push({ bytes, extension });
    at = match.index + encoded.length;
  }
  if (at < text.length || parts.length === 0) parts.push(text.slice(at));
  return parts;
}

function isTextWithMedia(value: object): value is TextWithMedia {
  return PARTS in value && Array.isArray(value.$parts);
}

/** What each begins with, in Latin-1; dots stand for anything. */
const STARTS: readonly [extension: string, start: string][] = [
  ["png", "\x89PNG\r\n\x1a\n"],
  ["jpg", "\xff\xd8\xff"],
  ["gif", "GIF8"],
  ["webp", "RIFF....WEBP"],
  ["wav", "RIFF....WAVE"],
  ["mp4", "....ftyp"],
  ["ogg", "OggS"],
  ["flac", "fLaC"],
  ["mp3", "ID3"],
  ["mp3", "\xff\xfb"],
  ["mp3", "\xff\xf3"],
  ["webm", "\x1aE\xdf\xa3"],
  ["pdf", "%PDF-"],
];

/** What bytes are by how they begin; undefined for no media. */
export function mediaExtension(bytes: Uint8Array): string | undefined {
  const begins = (start: string) =>
    [...start].every((character, at) => character === "." || character.charCodeAt(0) === bytes[at]);
  return STARTS.find(([, start]) => begins(start))?.[0];
}
