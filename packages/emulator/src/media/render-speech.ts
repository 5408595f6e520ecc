import type { RenderedSpeech, RenderSpeechRequest } from "./media-renderer.js";
import type { MediaRendererLease } from "./media-renderer-lease.js";
import { toneSpeech } from "./tone-speech.js";

/** Renders speech; tones as WAV or PCM without the media package. @throws APIError 501 for other formats without it */
export async function renderSpeech(
  { media }: { media: MediaRendererLease },
  request: RenderSpeechRequest,
): Promise<RenderedSpeech> {
  const { format } = request;
  if ((format === "wav" || format === "pcm") && !(await media.find("renderSpeech"))) {
    return toneSpeech({ ...request, format });
  }
  const render = await media.require("renderSpeech", `Speech in the format ${format}`);
  return render(request);
}
