import { encodePng } from "../image/encode-png.js";
import { rgbFromYuv } from "../image/yuv-picture.js";
import { encodeLoop } from "./encode-loop.js";
import { muxVideo } from "./mux-video.js";
import type { RenderedVideo } from "./rendered-video.js";
import { Scene } from "./scene.js";
import { composeSoundtrack, SAMPLE_RATE } from "./soundtrack.js";
import { countFrames, FRAME_RATE, type VideoRequest } from "./video-request.js";

const FULL_HD_PIXELS = 1920 * 1088;
const SAMPLES_PER_AAC_FRAME = 1024;

/**
 * Renders a video, on the thread it is called on. Encoding is what takes the time, so only a loop of one or two
 * seconds is encoded; its packets are then repeated up to the requested length.
 */
export async function encodeVideo(request: VideoRequest): Promise<RenderedVideo> {
  const frames = countFrames(request);
  const loopSeconds = request.width * request.height > FULL_HD_PIXELS ? 1 : 2;
  const loopFrames = loopSeconds * FRAME_RATE;
  const scene = new Scene(request, loopFrames);
  const loop = await encodeLoop(scene, Math.min(frames, loopFrames));
  const bytes = await muxVideo(loop, frames, request.audio ? soundFor(frames, request.seed) : undefined);
  scene.paint(frames - 1);
  return {
    bytes,
    mediaType: "video/mp4",
    durationSeconds: frames / FRAME_RATE,
    lastFrame: encodePng(rgbFromYuv(scene.picture)),
  };
}

/** The sound for a video, cut so that the last AAC frame does not outlast the last picture. */
function soundFor(frames: number, seed: number): Float32Array {
  const aacFrames = Math.floor(((frames / FRAME_RATE) * SAMPLE_RATE) / SAMPLES_PER_AAC_FRAME);
  // The encoder puts one frame of its own before the first.
  return composeSoundtrack(Math.max(1, aacFrames - 1) * SAMPLES_PER_AAC_FRAME, seed);
}
