import { type ContentBlock, parseBase64DataUrl } from "@langchain/core/messages";

/** An image part as models write it into their answers. */
export interface OutputImagePart {
  type: "image_url";
  image_url: { url: string };
}

/**
 * One image in a text: a Markdown image with an absolute address or data URL, or a bare data URL. Code comes
 * first in the pattern, so that an image inside a code block or code span is skipped with it.
 */
const IMAGE_IN_TEXT =
  /```[\s\S]*?(?:```|$)|`[^`\n]*`|!\[[^\]]{0,2000}\]\(\s*<?(?<markdown>(?:[a-z]+:\/\/|data:image\/)[^\s)>]+)>?(?:\s+"[^"]*")?\s*\)|(?<bare>data:image\/[\w.+-]+;base64,[A-Za-z0-9+/=]+)/gi;

/**
 * Splits the text of an answer into text and image blocks, in order. A bare address in prose stays text: it may
 * be anything the model talks about.
 */
export function splitImages(text: string): Array<ContentBlock.Text | ContentBlock.Multimodal.Image> {
  if (text === "") return [];
  if (!text.includes("![") && !text.includes("data:image/")) return [{ type: "text", text }];
  const blocks: Array<ContentBlock.Text | ContentBlock.Multimodal.Image> = [];
  let textStart = 0;
  const addText = (end: number) => {
    const piece = text.slice(textStart, end);
    if (piece.trim() !== "") blocks.push({ type: "text", text: piece });
  };
  for (const match of text.matchAll(IMAGE_IN_TEXT)) {
    const url = match.groups?.["markdown"] ?? match.groups?.["bare"];
    if (url === undefined) continue;
    addText(match.index);
    textStart = match.index + match[0].length;
    blocks.push(toImageBlock(url));
  }
  if (textStart === 0) return [{ type: "text", text }];
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
