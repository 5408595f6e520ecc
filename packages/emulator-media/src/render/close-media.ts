import { sharedMediaWorker } from "../worker/shared-media-worker.js";
import { renderedImages } from "./render-image.js";
import { renderedSpeech } from "./render-speech.js";
import { renderedVideos } from "./render-video.js";

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
