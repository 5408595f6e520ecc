import type { Services } from "../api/services.js";
import { APIError } from "../http/api-error.js";
import { fallbackFilm } from "../media/fallback-media.js";
import type { TaskFileRecipe } from "../media/file-recipe.js";
import type { MediaFile } from "../media/media-files.js";
import { plainPicture } from "../media/plain-picture.js";
import { readInputImage } from "../media/read-input-image.js";
import { usableImages } from "../media/usable-images.js";
import type { VideoTask } from "../tasks/video-task.js";

/** Names of a task's files in their URLs. */
export const VIDEO_FILE = "video.mp4";
export const LAST_FRAME_FILE = "last-frame.png";

/** The URL of a file of a succeeded task, which is rendered when somebody asks for it. */
export function publishTaskFile(services: Services, task: VideoTask, name: string): string {
  const recipe = { kind: "task", task: task.id, name } as const;
  return services.files.publish(task.origin, `${task.id}/${name}`, task.updatedAt, recipe);
}

/** @throws APIError 404 when the task is gone */
export async function renderTaskFile(
  services: Services,
  { task: id, name }: TaskFileRecipe,
): Promise<MediaFile> {
  const task = services.tasks.get(id);
  if (!task) throw APIError.notFound("The video task of this file is gone.", "file_not_found");
  const renderVideo = await services.media.find("renderVideo");
  if (!renderVideo) return fallbackFile(task, name);
  const { width, height, durationSeconds, prompt, seed, generateAudio, firstFrame, lastFrame } =
    task.settings;
  const video = await renderVideo({
    width,
    height,
    durationSeconds,
    prompt,
    seed,
    audio: generateAudio,
    firstFrame: await frame(services, firstFrame),
    lastFrame: await frame(services, lastFrame),
  });
  if (name === VIDEO_FILE) return { bytes: video.bytes, mediaType: video.mediaType };
  if (!video.lastFrame) throw APIError.notFound("This video has no last frame.", "file_not_found");
  return { bytes: video.lastFrame, mediaType: "image/png" };
}

/** What there is without the media package: one film for all, and a plain picture. */
async function fallbackFile({ settings }: VideoTask, name: string): Promise<MediaFile> {
  if (name === VIDEO_FILE) return { ...(await fallbackFilm()), fallback: true };
  const { width, height, prompt, seed } = settings;
  return plainPicture({ width, height, prompt, seed, format: "png" });
}

async function frame(services: Services, input: string | undefined): Promise<Uint8Array | undefined> {
  const bytes = input === undefined ? undefined : await readInputImage(services, input);
  return bytes && (await usableImages(services, [bytes]))[0];
}
