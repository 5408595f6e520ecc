import type { ChatCompletion, CompletionMessage } from "../chat/chat-types.js";
import { findMarkdownImages } from "./find-markdown-images.js";

const DATA_URL = /data:image\/[\w.+-]+;base64,[A-Za-z0-9+/=_-]+/g;
const LINK = /https?:\/\/[^\s<>"'`)\]}，。；、]+/g;
const IMAGE_EXTENSION = /\.(png|jpe?g|webp|gif|bmp)(?:[?#]|$)/i;

/** The text of an answer, and the addresses of the images in it. */
export interface ChatImages {
  text: string;
  urls: string[];
  /** The addresses stand in the text, where a prompt can make a model write any. */
  fromText: boolean;
}

/** What of a message may hold images. */
export type ImageBearingMessage = Pick<CompletionMessage, "content"> & { images?: unknown };

/**
 * Finds the images that a message is meant to show: content parts, `message.images[]`, Markdown and data URLs.
 * A bare link in prose is no image.
 */
export function findMessageImages({ content, images }: ImageBearingMessage): string[] {
  const parts = [...(Array.isArray(content) ? content : []), ...(Array.isArray(images) ? images : [])];
  const structured = parts.map(addressOf).filter((url) => url !== undefined);
  const text = typeof content === "string" ? content : "";
  const found = structured.length > 0 ? structured : (findMarked(text) ?? []);
  return [...new Set(found)];
}

/**
 * Finds the images of a chat answer, whose structure is not fixed: content parts, `message.images[]`, Markdown,
 * data URLs, and bare links. Of bare links, those that look like images win over others.
 */
export function findChatImages({ choices }: ChatCompletion): ChatImages {
  const message = choices[0]?.message;
  if (message === undefined) return { text: "", urls: [], fromText: false };
  const { content } = message;
  const parts = Array.isArray(content) ? content : [];
  const text =
    typeof content === "string"
      ? content
      : parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  const structured = [...parts, ...imagesField(message)].map(addressOf).filter((url) => url !== undefined);
  const fromText = structured.length === 0;
  const urls = fromText ? findInText(text) : structured;
  return { text, urls: [...new Set(urls)], fromText };
}

function imagesField(message: CompletionMessage): unknown[] {
  const { images } = message;
  return Array.isArray(images) ? images : [];
}

/** `{ image_url: { url } }`, `{ image_url: "…" }`, `{ url }`, `{ b64_json }`, or the address itself. */
function addressOf(part: unknown): string | undefined {
  if (typeof part === "string") return part;
  const { image_url: image, url, b64_json: base64 } = (part ?? {}) as Record<string, unknown>;
  const nested = typeof image === "object" && image !== null ? (image as { url?: unknown }).url : image;
  const found = nested ?? url;
  if (typeof found === "string" && found !== "") return found;
  return typeof base64 === "string" ? `data:image/png;base64,${base64}` : undefined;
}

/** Images that a text marks as such; undefined when there is none. */
function findMarked(text: string): string[] | undefined {
  const markdown = findMarkdownImages(text);
  if (markdown.length > 0) return markdown;
  return text.match(DATA_URL) ?? undefined;
}

function findInText(text: string): string[] {
  const marked = findMarked(text);
  if (marked !== undefined) return marked;
  const links = (text.match(LINK) ?? []).map(withoutTrailingMarks);
  const images = links.filter((link) => IMAGE_EXTENSION.test(link));
  return images.length > 0 ? images : links;
}

/** A sentence may end right behind a link. By hand: an expression tries anew at each of many marks. */
function withoutTrailingMarks(link: string): string {
  let end = link.length;
  while (end > 0 && ".,;:!?*_".includes(link[end - 1] as string)) end--;
  return link.slice(0, end);
}
