import { MediaWorker } from "./media-worker.js";
import { startMediaThread } from "./start-media-thread.js";

/** The one worker of the process: encoders take all of a core, so more of them would only wait for each other. */
export const sharedMediaWorker = new MediaWorker(startMediaThread);
