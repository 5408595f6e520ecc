import { readFile } from "node:fs/promises";
import type { SpeechFormat } from "./media-renderer.js";

/** Says of an answer that it is not what was asked for, but what there is without the media package. */
export const FALLBACK_HEADER = { "x-emulator-fallback": "media" };

const SPEECH_TYPES: Partial<Record<SpeechFormat, string>> = {
  mp3: "audio/mpeg",
  opus: "audio/ogg",
  aac: "audio/aac",
};

/** A sentence that was spoken ahead, as MP3, Opus or AAC; undefined for a format that there is no file of. */
export async function fallbackSpeech(
  format: SpeechFormat,
): Promise<{ bytes: Uint8Array; mediaType: string } | undefined> {
  const mediaType = SPEECH_TYPES[format];
  return mediaType === undefined ? undefined : { bytes: await readFallback(`speech.${format}`), mediaType };
}

/** A film of five seconds, 640 × 360 with sound, that was made ahead. */
export async function fallbackFilm(): Promise<{ bytes: Uint8Array; mediaType: "video/mp4" }> {
  return { bytes: await readFallback("film.mp4"), mediaType: "video/mp4" };
}

/** The build puts the files beside the bundle, as they lie beside this one. */
function readFallback(name: string): Promise<Uint8Array> {
  return readFile(new URL(`./fallback/${name}`, import.meta.url));
}
