/** The part of Node's `Buffer` that is used here; other runtimes have it, too, or do without. */
interface NativeBuffer {
  alloc(size: number): NativeBuffer & Uint8Array<ArrayBuffer>;
  from(bytes: ArrayBufferLike, offset: number, length: number): NativeBuffer;
  byteLength(text: string): number;
  write(text: string, encoding: "base64"): number;
  toString(encoding: "base64"): string;
}

const native = () => (globalThis as { Buffer?: unknown }).Buffer as NativeBuffer | undefined;

/** @returns the bytes, or undefined when the text is not Base64; line breaks and the URL-safe alphabet are accepted */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  return decodeNatively(text) ?? decodePortably(text);
}

/**
 * Several times as fast. Node's decoder skips what is no Base64 without a word, and takes characters beyond ASCII for others:
 * an answer counts only where each character of the text must have been read.
 *
 * @returns undefined where there is no such decoder, or more to be said about the text
 */
function decodeNatively(text: string): Uint8Array<ArrayBuffer> | undefined {
  const buffer = native();
  const length = decodedLength(text);
  if (buffer === undefined || length === undefined || buffer.byteLength(text) !== text.length)
    return undefined;
  // Of its own, and not of the pool that small buffers share: whoever reads the bytes may ask for what is behind them.
  const bytes = buffer.alloc(length);
  return bytes.write(text, "base64") === length ? new Uint8Array(bytes.buffer) : undefined;
}

/** Bytes in a text that is Base64 from end to end, as far as its length and its padding tell. */
function decodedLength(text: string): number | undefined {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const digits = text.length - padding;
  if (digits % 4 === 1 || (padding > 0 && text.length % 4 !== 0)) return undefined;
  return Math.floor((digits * 3) / 4);
}

function decodePortably(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const binary = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
    const bytes = new Uint8Array(binary.length);
    for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index);
    return bytes;
  } catch {
    return undefined;
  }
}

/** Bytes as Base64. */
export function encodeBase64(bytes: Uint8Array): string {
  const { buffer, byteOffset, length } = bytes;
  return native()?.from(buffer, byteOffset, length).toString("base64") ?? encodePortably(bytes);
}

/** In steps, because a call takes a limited number of arguments. */
function encodePortably(bytes: Uint8Array): string {
  const step = 0x8000;
  let binary = "";
  for (let start = 0; start < bytes.length; start += step) {
    binary += String.fromCharCode(...bytes.subarray(start, start + step));
  }
  return btoa(binary);
}
