import { ResultCache } from "../worker/result-cache.js";
import { sharedMediaWorker } from "../worker/shared-media-worker.js";
import type { RenderedVideo } from "./rendered-video.js";
import { assertVideoRequest, type VideoRequest } from "./video-request.js";

/** The latest videos, up to 64 MiB of them. */
export const renderedVideos = new ResultCache<RenderedVideo>({
  maxBytes: 64 * 1024 * 1024,
  sizeOf: ({ bytes, lastFrame }) => bytes.length + lastFrame.length,
});

/**
 * Renders a playable MP4 that shows its prompt over moving colours, on a worker thread. Equal requests give equal
 * bytes; each call gets its own copy of them.
 *
 * @throws RangeError for a size, length or seed that is not possible, an odd width or height among them.
 * @throws Error when the encoder fails or {@link closeMedia} is called before the video is done.
 */
export async function renderVideo(request: VideoRequest): Promise<RenderedVideo> {
  assertVideoRequest(request);
  const { width, height, durationSeconds, prompt, seed, audio } = request;
  const input: VideoRequest = { width, height, durationSeconds, prompt, seed, audio };
  const video = await renderedVideos.get(JSON.stringify(input), () => sharedMediaWorker.run("video", input));
  return { ...video, bytes: video.bytes.slice(), lastFrame: video.lastFrame.slice() };
}
