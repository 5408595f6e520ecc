import { type ContentBlock, parseBase64DataUrl } from "@langchain/core/messages";
import { findTextImages } from "./find-text-images.js";

/** An image part as models write it into their answers. */
export interface OutputImagePart {
  type: "image_url";
  image_url: { url: string };
}

/**
 * Splits the text of an answer into text and image blocks, in order. A bare address in prose stays text: it may
 * be anything the model talks about.
 */
export function splitImages(text: string): Array<ContentBlock.Text | ContentBlock.Multimodal.Image> {
  if (text === "") return [];
  const images = findTextImages(text);
  if (images.length === 0) return [{ type: "text", text }];
  const blocks: Array<ContentBlock.Text | ContentBlock.Multimodal.Image> = [];
  let textStart = 0;
  const addText = (end: number) => {
    const piece = text.slice(textStart, end);
    if (piece.trim() !== "") blocks.push({ type: "text", text: piece });
  };
  for (const { start, end, url } of images) {
    addText(start);
    textStart = end;
    blocks.push(toImageBlock(url));
  }
  addText(text.length);
  return blocks;
}

/** The standard block of an image address or data URL. */
export function toImageBlock(url: string): ContentBlock.Multimodal.Image {
  const parsed = url.startsWith("data:") ? parseBase64DataUrl({ dataUrl: url }) : undefined;
  return parsed === undefined
    ? { type: "image", url }
    : { type: "image", mimeType: parsed.mime_type, data: String(parsed.data) };
}

/** Reads an image part or an entry of `message.images[]`; routes differ in where they put the address. */
export function readOutputImage(entry: unknown): OutputImagePart | undefined {
  const url = typeof entry === "string" ? entry : findImageURL(entry);
  return url === undefined ? undefined : { type: "image_url", image_url: { url } };
}

function findImageURL(entry: unknown): string | undefined {
  if (typeof entry !== "object" || entry === null) return undefined;
  const { image_url: imageURL, url, b64_json: base64 } = entry as Record<string, unknown>;
  if (typeof imageURL === "string") return imageURL;
  const nested = (imageURL as { url?: unknown } | null | undefined)?.url ?? url;
  if (typeof nested === "string") return nested;
  return typeof base64 === "string" ? `data:image/png;base64,${base64}` : undefined;
}
