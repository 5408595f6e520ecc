import { markersIn } from "../language/prompt-markers.js";

/** The ways in which routes put an image into an answer; clients have to find it in all of them. */
export const CHAT_IMAGE_FORMS = ["url", "markdown", "text", "parts", "images"] as const;

/**
 * - `url`: the content is the URL alone
 * - `markdown`: a Markdown image
 * - `text`: an explanation with the URL in it
 * - `parts`: an array of content parts, the image as data URL
 * - `images`: a text, and the image as data URL in `message.images[]`
 */
export type ChatImageForm = (typeof CHAT_IMAGE_FORMS)[number];

/** The form that a marker `[[as:…]]` in the prompt asks for. */
export function formInPrompt(text: string): ChatImageForm | undefined {
  const name = /\[\[as:([a-z]+)\]\]/.exec(markersIn(text))?.[1];
  return CHAT_IMAGE_FORMS.find((form) => form === name);
}
