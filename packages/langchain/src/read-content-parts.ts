import { type OutputImagePart, readOutputImage } from "./output-images.js";

/** What the content of an answer holds: a text, or parts of several kinds. */
export interface ReadParts {
  text: string;
  reasoning: string;
  images: OutputImagePart[];
}

/** Reads `content` of a message or a delta: text, images, and reasoning that some routes send as `thinking` parts. */
export function readContentParts(content: unknown): ReadParts {
  const read: ReadParts = { text: typeof content === "string" ? content : "", reasoning: "", images: [] };
  for (const part of asArray(content)) {
    const { type, text, thinking } = (part ?? {}) as Record<string, unknown>;
    const image = readOutputImage(part);
    if (type === "thinking") read.reasoning += readThinking(thinking);
    else if (image !== undefined) read.images.push(image);
    else if (typeof text === "string") read.text += text;
  }
  return read;
}

/** Thoughts are a text, or text parts of their own. */
function readThinking(thinking: unknown): string {
  return typeof thinking === "string" ? thinking : readContentParts(thinking).text;
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
