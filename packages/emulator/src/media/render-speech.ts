import { fallbackSpeech } from "./fallback-media.js";
import type { RenderedSpeech, RenderSpeechRequest } from "./media-renderer.js";
import type { MediaRendererLease } from "./media-renderer-lease.js";
import { toneSpeech } from "./tone-speech.js";

/**
 * Renders speech. Without the media package it is tones as WAV or PCM, and as MP3, Opus or AAC a sentence that was
 * spoken ahead.
 *
 * @throws APIError 501 for FLAC without the media package
 */
export async function renderSpeech(
  { media }: { media: MediaRendererLease },
  request: RenderSpeechRequest,
): Promise<RenderedSpeech> {
  const { format } = request;
  if (!(await media.find("renderSpeech"))) {
    if (format === "wav" || format === "pcm") return toneSpeech({ ...request, format });
    const spare = await fallbackSpeech(format);
    if (spare) return { ...spare, fallback: true };
  }
  const render = await media.require("renderSpeech", `Speech in the format ${format}`);
  return render(request);
}
