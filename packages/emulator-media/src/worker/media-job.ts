import type { RenderedVideo } from "../video/rendered-video.js";
import type { VideoRequest } from "../video/video-request.js";

/** Every kind of work that the media thread does, with what goes in and what comes out. */
export interface MediaJobs {
  video: { input: VideoRequest; output: RenderedVideo };
}

/** What the thread is sent. */
export interface MediaJob<Kind extends keyof MediaJobs = keyof MediaJobs> {
  kind: Kind;
  input: MediaJobs[Kind]["input"];
}

/** What the thread answers, once per job and in order. */
export type MediaJobOutcome<Kind extends keyof MediaJobs = keyof MediaJobs> =
  | { output: MediaJobs[Kind]["output"] }
  | { error: unknown };
