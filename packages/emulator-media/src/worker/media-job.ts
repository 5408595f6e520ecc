import type { ImageDescription } from "../image/image-description.js";
import type { ImageRequest } from "../image/image-request.js";
import type { RenderedImage } from "../image/rendered-image.js";
import type { RenderedSpeech } from "../speech/rendered-speech.js";
import type { SpeechRequest } from "../speech/speech-request.js";
import type { RenderedVideo } from "../video/rendered-video.js";
import type { VideoRequest } from "../video/video-request.js";

/** Every kind of work that the media thread does, with what goes in and what comes out. */
export interface MediaJobs {
  image: { input: ImageRequest; output: RenderedImage };
  "image description": { input: { bytes: Uint8Array }; output: ImageDescription };
  speech: { input: SpeechRequest; output: RenderedSpeech };
  video: { input: VideoRequest; output: RenderedVideo };
}

/** What the thread is sent: an input with the kind that it belongs to. */
export type MediaJob = {
  [Kind in keyof MediaJobs]: { kind: Kind; input: MediaJobs[Kind]["input"] };
}[keyof MediaJobs];

/** What the thread answers, once per job and in order. */
export type MediaJobOutcome =
  | { output: MediaJobs[keyof MediaJobs]["output"] }
  | { invalidInput: string }
  | { error: unknown };
