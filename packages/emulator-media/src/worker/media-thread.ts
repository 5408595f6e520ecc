import { parentPort } from "node:worker_threads";
import { encodeVideo } from "../video/encode-video.js";
import type { MediaJob, MediaJobOutcome } from "./media-job.js";

// The script of the media thread: runs one job at a time and answers each with one message.
parentPort?.on("message", async (job: MediaJob) => {
  parentPort?.postMessage(await runJob(job));
});

async function runJob(job: MediaJob): Promise<MediaJobOutcome> {
  try {
    switch (job.kind) {
      case "video":
        return { output: await encodeVideo(job.input) };
    }
  } catch (error) {
    return { error };
  }
}
