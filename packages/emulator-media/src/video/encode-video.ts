import { encodePng } from "../image/encode-png.js";
import { rgbFromYuv, type YuvPicture, yuvFromRgb } from "../image/yuv-picture.js";
import { encodeFrames } from "./encode-frames.js";
import { EndingScene } from "./ending-scene.js";
import type { MovingPicture } from "./moving-picture.js";
import { muxVideo } from "./mux-video.js";
import { PictureScene } from "./picture-scene.js";
import type { RenderedVideo } from "./rendered-video.js";
import { SceneFilm } from "./scene-film.js";
import { composeSoundtrack, SAMPLE_RATE } from "./soundtrack.js";
import { planTimeline, type TimelineRequest } from "./timeline.js";
import { countFrames, FRAME_RATE, type VideoRequest } from "./video-request.js";

const FULL_HD_PIXELS = 1920 * 1088;

// Given pictures move as a whole, which takes several times as long to encode as parts over a still backdrop.
const HD_PIXELS = 1280 * 736;

const SAMPLES_PER_AAC_FRAME = 1024;

/**
 * Renders a video, on the thread it is called on. Encoding is what takes the time, so only a loop of one or two
 * seconds is encoded, and where pictures are given, a beginning or an end of a third of that length.
 */
export async function encodeVideo(request: VideoRequest): Promise<RenderedVideo> {
  const frames = countFrames(request);
  const { width, height, firstFrame, lastFrame } = request;
  const loopSeconds = width * height > (firstFrame || lastFrame ? HD_PIXELS : FULL_HD_PIXELS) ? 1 : 2;
  const loopFrames = loopSeconds * FRAME_RATE;
  const partFrames = loopFrames / 3;
  const plan = {
    frames,
    loopFrames,
    introFrames: firstFrame ? Math.min(partFrames, Math.ceil(frames / 2)) : 0,
    outroFrames: lastFrame ? Math.min(partFrames, firstFrame ? Math.floor(frames / 2) : frames) : 0,
    groupOfPictures: firstFrame || lastFrame ? partFrames : loopFrames,
  };
  const scene = await composeScene(request, plan);
  const timeline = planTimeline(plan);
  const sound = request.audio ? soundFor(frames, request.seed) : undefined;
  const bytes = await muxVideo(await encodeFrames(scene, timeline), frames, timeline, sound);
  scene.paint(frames - 1);
  return {
    bytes,
    mediaType: "video/mp4",
    durationSeconds: frames / FRAME_RATE,
    lastFrame: encodePng(rgbFromYuv(scene.picture)),
  };
}

async function composeScene(request: VideoRequest, plan: TimelineRequest): Promise<MovingPicture> {
  const { firstFrame, lastFrame } = request;
  const scene = firstFrame
    ? new PictureScene(request, await readFrame(firstFrame, "firstFrame", request), plan)
    : new SceneFilm(request, plan.loopFrames);
  if (!lastFrame) return scene;
  return new EndingScene(scene, await readFrame(lastFrame, "lastFrame", request), plan);
}

/** Decodes a given picture, cropped around its centre to cover the frame. */
async function readFrame(
  bytes: Uint8Array,
  name: string,
  { width, height }: VideoRequest,
): Promise<YuvPicture> {
  // Loaded only where it is needed: it is the one native library of the package.
  const { decodePicture } = await import("../image/decode-picture.js");
  return yuvFromRgb(await decodePicture(bytes, name, { width, height, fit: "cover" }));
}

/** The sound for a video, cut so that the last AAC frame does not outlast the last picture. */
function soundFor(frames: number, seed: number): Float32Array {
  const aacFrames = Math.floor(((frames / FRAME_RATE) * SAMPLE_RATE) / SAMPLES_PER_AAC_FRAME);
  // The encoder puts one frame of its own before the first.
  return composeSoundtrack(Math.max(1, aacFrames - 1) * SAMPLES_PER_AAC_FRAME, seed);
}
