import type { LanguageModelV4File } from "@ai-sdk/provider";

/** An image that a chat model made, as a part of its answer. The SDK downloads addresses by itself. */
export function toFilePart(address: string): LanguageModelV4File {
  const match = /^data:([^;,]+);base64,(.+)$/s.exec(address);
  if (match !== null) {
    return { type: "file", mediaType: match[1] as string, data: { type: "data", data: match[2] as string } };
  }
  return { type: "file", mediaType: "image/*", data: { type: "url", url: new URL(address) } };
}
