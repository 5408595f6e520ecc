import type { RenderedSpeech } from "../speech/rendered-speech.js";
import { assertSpeechRequest, type SpeechRequest } from "../speech/speech-request.js";
import { sharedMediaWorker } from "../worker/shared-media-worker.js";
import { requestKey } from "./request-key.js";
import { ResultCache } from "./result-cache.js";

/** The latest speech, up to 32 MiB of it. */
export const renderedSpeech = new ResultCache<RenderedSpeech>({
  maxBytes: 32 * 1024 * 1024,
  sizeOf: ({ bytes }) => bytes.length,
});

/**
 * Speaks English text, and other text in the Latin script as if it were English, on a worker thread. What cannot be
 * spoken (Chinese, Cyrillic, emoji, …) becomes one pitched tone per character, in its place. Equal requests give
 * equal bytes; each call gets its own copy of them.
 *
 * @throws RangeError for a value outside the limits of {@link SpeechRequest}; TypeError for text that is none.
 * @throws Error when the encoder fails or {@link closeMedia} is called before the speech is done.
 */
export async function renderSpeech(request: SpeechRequest): Promise<RenderedSpeech> {
  assertSpeechRequest(request);
  const { text, voice, format, speed = 1, seed } = request;
  const input: SpeechRequest = { text, voice: voice.trim().toLowerCase(), format, speed, seed };
  const speech = await renderedSpeech.get(requestKey(input), () => sharedMediaWorker.run("speech", input));
  return { ...speech, bytes: speech.bytes.slice() };
}
