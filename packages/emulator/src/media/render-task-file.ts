import { ApiError } from "../server/api-error.js";
import type { Services } from "../server/services.js";
import type { VideoTask } from "../videos/video-task.js";
import { VIDEO_FILE } from "../videos/video-task-body.js";
import type { MediaFile } from "./media-files.js";

/** Renders a file of a succeeded task. @throws ApiError 501 without the media package */
export async function renderTaskFile({ media }: Services, task: VideoTask, name: string): Promise<MediaFile> {
  const renderer = await media.load();
  const { width, height, durationSeconds, prompt, seed, generateAudio } = task.settings;
  const video = await renderer.renderVideo({
    width,
    height,
    durationSeconds,
    prompt,
    seed,
    audio: generateAudio,
  });
  if (name === VIDEO_FILE) return { bytes: video.bytes, mediaType: video.mediaType };
  if (!video.lastFrame) throw ApiError.notFound("This video has no last frame.", "file_not_found");
  return { bytes: video.lastFrame, mediaType: "image/png" };
}
