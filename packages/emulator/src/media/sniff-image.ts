/** The kind of picture that bytes hold. */
export type FileFormat = "png" | "jpeg" | "gif" | "webp" | "bmp" | "tiff" | "heic";

/** The format of an encoded picture by its first bytes; undefined for what is none. */
export function sniffImage(encoded: Uint8Array): FileFormat | undefined {
  const start = Buffer.from(encoded.buffer, encoded.byteOffset, Math.min(encoded.byteLength, 16)).toString(
    "latin1",
  );
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "png";
  if (start.startsWith("\xff\xd8\xff")) return "jpeg";
  if (start.startsWith("GIF8")) return "gif";
  if (start.startsWith("RIFF") && start.startsWith("WEBP", 8)) return "webp";
  if (start.startsWith("BM")) return "bmp";
  if (start.startsWith("II*\0") || start.startsWith("MM\0*")) return "tiff";
  return /^ftyp(?:hei|mif1|msf1|avif)/.test(start.slice(4)) ? "heic" : undefined;
}
