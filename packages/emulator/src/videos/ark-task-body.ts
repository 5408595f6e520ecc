import type { Services } from "../api/services.js";
import type { VideoTask } from "../tasks/video-task.js";
import { type FlatTaskBody, flatTaskBody } from "./flat-task-body.js";

/** A task as the Ark family shows it: flat, its files in `content`, without progress. */
export function arkTaskBody(task: VideoTask, services: Services): object {
  const { output, last_frame_url, progress: _progress, ...rest }: FlatTaskBody = flatTaskBody(task, services);
  return {
    ...rest,
    ...(output && { content: { ...output, ...(last_frame_url !== undefined && { last_frame_url }) } }),
    service_tier: "default",
  };
}
