/** Text of a request, in UTF-8 bytes, and what in it is no text. */
export interface TextSize {
  /** No tokenizer makes more tokens of a text than it has bytes. */
  bytes: number;
  /** Pictures, sounds, films and files. */
  media: number;
}

/** What stands around the text of a message, and around every value, at most. */
const BYTES_AROUND_MESSAGE = 16;
const BYTES_AROUND_VALUE = 4;
const MEDIA_PARTS = new Set(["image_url", "input_audio", "video_url", "file", "image", "input_image"]);

/** Measures messages, tools and whatever else a model is given to read. */
export function measureText(value: unknown): TextSize {
  const size: TextSize = { bytes: 0, media: 0 };
  addSize(value, size);
  return size;
}

function addSize(value: unknown, size: TextSize): void {
  // Is not sent.
  if (value === undefined) return;
  if (typeof value === "string") size.bytes += byteLength(value) + BYTES_AROUND_VALUE;
  else if (typeof value !== "object" || value === null) size.bytes += String(value).length;
  else if (Array.isArray(value)) for (const each of value) addSize(each, size);
  else if (MEDIA_PARTS.has((value as { type?: string }).type ?? "")) size.media++;
  else {
    size.bytes += BYTES_AROUND_MESSAGE;
    for (const name of Object.keys(value)) {
      const each = (value as Record<string, unknown>)[name];
      if (each === undefined) continue;
      size.bytes += byteLength(name) + BYTES_AROUND_VALUE;
      addSize(each, size);
    }
  }
}

/** An upper bound: exact for ASCII. */
export function byteLength(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) bytes += code > 0x7ff ? 2 : 1;
  }
  return bytes;
}
