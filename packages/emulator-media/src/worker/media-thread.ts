import { parentPort } from "node:worker_threads";
import { InvalidInput } from "../image/invalid-input.js";
import type { MediaJob, MediaJobOutcome, MediaJobs } from "./media-job.js";

// The script of the media thread: runs one job at a time and answers each with one message.
parentPort?.on("message", async (job: MediaJob) => {
  parentPort?.postMessage(await runJob(job));
});

async function runJob(job: MediaJob): Promise<MediaJobOutcome> {
  try {
    return { output: await doJob(job) };
  } catch (error) {
    return error instanceof InvalidInput ? { invalidInput: error.message } : { error };
  }
}

/** Loads the encoders of a medium with its first job: most processes use one or two, and some are large. */
async function doJob(job: MediaJob): Promise<MediaJobs[keyof MediaJobs]["output"]> {
  switch (job.kind) {
    case "image": {
      const { encodeImage } = await import("../image/encode-image.js");
      return encodeImage(job.input);
    }
    case "image description": {
      const { readImageDescription } = await import("../image/read-image-description.js");
      return readImageDescription(job.input);
    }
    case "speech": {
      const { encodeSpeech } = await import("../speech/encode-speech.js");
      return encodeSpeech(job.input);
    }
    case "video": {
      const { encodeVideo } = await import("../video/encode-video.js");
      return encodeVideo(job.input);
    }
  }
}
