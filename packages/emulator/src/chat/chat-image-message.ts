import type { ChatImageForm } from "../api/chat-image-form.js";
import { tokenize } from "../language/tokenize.js";

/** A part that shows an image, in the content or beside it. */
export interface ImagePart {
  type: "image_url";
  image_url: { url: string };
}

/** The assistant's message in one of the forms. */
export interface ChatImageMessage {
  content: string | ({ type: "text"; text: string } | ImagePart)[];
  images?: ImagePart[];
}

/** What a message is written from. */
export interface ChatImage {
  prompt: string;
  /** Such as `1024x1024`. */
  size: string;
  /** A URL, or a data URL for the forms that embed the image. */
  url: string;
}

/** Whether the form carries the image itself rather than a link to it. */
export function embedsImage(form: ChatImageForm): boolean {
  return form === "parts" || form === "images";
}

export function chatImageMessage(form: ChatImageForm, { prompt, size, url }: ChatImage): ChatImageMessage {
  const image: ImagePart = { type: "image_url", image_url: { url } };
  const text = "Here is the image.";
  switch (form) {
    case "url":
      return { content: url };
    case "markdown":
      return { content: `![${prompt.replace(/[[\]\n]/g, " ").slice(0, 80)}](${url})` };
    case "text":
      return {
        content: `I made the image you asked for (${size}). You can look at it here: ${url}\n\nThe link works for 24 hours.`,
      };
    case "parts":
      return { content: [{ type: "text", text }, image] };
    case "images":
      return { content: text, images: [image] };
  }
}

/** The deltas by which a stream says the message. */
export function* chatImageDeltas({ content, images }: ChatImageMessage): Generator<object> {
  yield { role: "assistant", content: "" };
  if (typeof content === "string") {
    for (const text of tokenize(content)) yield { content: text };
  } else {
    yield { content };
  }
  if (images) yield { images };
}
