import { renderedImages } from "./image/render-image.js";
import { renderedSpeech } from "./speech/render-speech.js";
import { renderedVideos } from "./video/render-video.js";
import { sharedMediaWorker } from "./worker/shared-media-worker.js";

/**
 * Ends the worker thread and drops the caches. Work that is not done is rejected; later calls start anew. An idle
 * worker does not hold the process, so this is for those who want the memory back or a clean end.
 */
export async function closeMedia(): Promise<void> {
  renderedImages.clear();
  renderedSpeech.clear();
  renderedVideos.clear();
  await sharedMediaWorker.close();
}
