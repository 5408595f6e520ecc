import { copyEncodedImage } from "../image/copy-encoded-image.js";
import type { RenderedVideo } from "../video/rendered-video.js";
import { assertVideoRequest, type VideoRequest } from "../video/video-request.js";
import { sharedMediaWorker } from "../worker/shared-media-worker.js";
import { requestKey } from "./request-key.js";
import { ResultCache } from "./result-cache.js";

/** The latest videos, up to 64 MiB of them. */
export const renderedVideos = new ResultCache<RenderedVideo>({
  maxBytes: 64 * 1024 * 1024,
  sizeOf: ({ bytes, lastFrame }) => bytes.length + lastFrame.length,
});

/**
 * Renders a playable MP4 that shows its prompt over moving colours, or over a given first picture, on a worker
 * thread. Equal requests give equal bytes; each call gets its own copy of them.
 *
 * @throws RangeError for a size, length or seed that is not possible, an odd width or height among them, and for
 * a first or last frame that is no image; TypeError for a frame that is no `Uint8Array`.
 * @throws Error when the encoder fails or {@link closeMedia} is called before the video is done.
 */
export async function renderVideo(request: VideoRequest): Promise<RenderedVideo> {
  assertVideoRequest(request);
  const { width, height, durationSeconds, prompt, seed, audio } = request;
  const firstFrame = request.firstFrame && copyEncodedImage("firstFrame", request.firstFrame);
  const lastFrame = request.lastFrame && copyEncodedImage("lastFrame", request.lastFrame);
  const input = { width, height, durationSeconds, prompt, seed, audio, firstFrame, lastFrame };
  const video = await renderedVideos.get(requestKey(input), () => sharedMediaWorker.run("video", input));
  return { ...video, bytes: video.bytes.slice(), lastFrame: video.lastFrame.slice() };
}
