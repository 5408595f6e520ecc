import { ApiError } from "../server/api-error.js";
import type { Services } from "../server/services.js";
import type { VideoTask } from "../videos/video-task.js";
import { LAST_FRAME_FILE, VIDEO_FILE } from "../videos/video-task-body.js";
import { fileResponse } from "./file-response.js";
import type { MediaFile } from "./media-files.js";
import { renderTaskFile } from "./render-task-file.js";

/** `GET /files/{task_id}/{name}`: a result file behind a signed, expiring URL. No API key is asked for. */
export async function serveFile(
  services: Services,
  request: Request,
  url: URL,
  parameters: Record<string, string>,
): Promise<Response> {
  const { task_id: taskId = "", name = "" } = parameters;
  services.files.verify(`${taskId}/${name}`, url.searchParams);
  const task = services.tasks.get(taskId);
  if (task?.status !== "succeeded")
    throw ApiError.notFound("The task of this file is gone.", "file_not_found");
  return fileResponse(request, await taskFile(services, task, name));
}

function taskFile(services: Services, task: VideoTask, name: string): Promise<MediaFile> {
  if (name !== VIDEO_FILE && name !== LAST_FRAME_FILE) {
    throw ApiError.notFound("There is no such file.", "file_not_found");
  }
  return services.files.get(`${task.id}/${name}`, () => renderTaskFile(services, task, name));
}
