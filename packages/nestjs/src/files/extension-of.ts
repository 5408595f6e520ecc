/** The ends of file names that people and programs know results by. */
const EXTENSIONS: Record<string, string> = {
  "audio/aac": ".aac",
  "audio/flac": ".flac",
  "audio/mp4": ".m4a",
  "audio/mpeg": ".mp3",
  "audio/ogg": ".ogg",
  "audio/opus": ".opus",
  "audio/wav": ".wav",
  "audio/wave": ".wav",
  "audio/x-wav": ".wav",
  "image/bmp": ".bmp",
  "image/gif": ".gif",
  "image/jpeg": ".jpg",
  "image/png": ".png",
  "image/webp": ".webp",
};

/** What the name of a file of this media type ends in, with its dot; empty where that is not known. */
export function extensionOf(mediaType: string): string {
  const [essence = ""] = mediaType.split(";");
  return EXTENSIONS[essence.trim().toLowerCase()] ?? "";
}
