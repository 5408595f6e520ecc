import type { VideoFamily } from "./video-types.js";

/** Path of each family, and the field that names a new task in it. */
export const VIDEO_FAMILIES: Record<VideoFamily, { path: string; idField: "id" | "task_id" }> = {
  content: { path: "/videos", idField: "id" },
  image2video: { path: "/videos/image2video", idField: "task_id" },
  "omni-video": { path: "/videos/omni-video", idField: "task_id" },
};

export function isVideoFamily(value: unknown): value is VideoFamily {
  return typeof value === "string" && Object.hasOwn(VIDEO_FAMILIES, value);
}

/** Whether an id can be put into a path: segments of dots would be resolved away on the way to the server. */
export function isTaskId(value: unknown): value is string {
  return typeof value === "string" && value !== "" && !/^\.+$/.test(value);
}
