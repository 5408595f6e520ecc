import { InvalidRequestError } from "../errors/errors.js";
import type { VideoFamily } from "../tasks/video-task-handle.js";
import { checkVideoRequest } from "./check-video-request.js";
import { checkImageToVideoRequest, checkOmniVideoRequest } from "./check-wrapped-request.js";
import type { VideoRequests } from "./video-types.js";

/**
 * How a family talks of its tasks: flat (`id`, `status` and results side by side), or wrapped (`task_id` and a state in
 * `data`, with the caller's own id of the task).
 */
export type TaskForm = "flat" | "wrapped";

interface FamilyOfVideos<Body> {
  /** Where tasks are created, and below it read. */
  path: string;
  form: TaskForm;
  /** The call in errors, hooks and logs. */
  call: string;
  /** @throws InvalidRequestError with all problems; nothing is sent. */
  check(body: Body): void;
}

/** All that is particular to a family, so that one more is one more row. */
export const VIDEO_FAMILIES: { readonly [Family in VideoFamily]: FamilyOfVideos<VideoRequests[Family]> } = {
  content: { path: "/videos", form: "flat", call: "videos.create", check: checkVideoRequest },
  image2video: {
    path: "/videos/image2video",
    form: "wrapped",
    call: "videos.imageToVideo",
    check: checkImageToVideoRequest,
  },
  "omni-video": {
    path: "/videos/omni-video",
    form: "wrapped",
    call: "videos.omniVideo",
    check: checkOmniVideoRequest,
  },
};

/** The family of that name. Of a name that is none, one whose every body is refused. */
export function familyOfVideos<Family extends VideoFamily>(
  family: Family,
): FamilyOfVideos<VideoRequests[Family]> {
  if (isVideoFamily(family)) return VIDEO_FAMILIES[family];
  const message = `must be one of ${Object.keys(VIDEO_FAMILIES).join(", ")}`;
  const check = () => {
    throw new InvalidRequestError([{ field: "family", message, value: family }]);
  };
  return { ...VIDEO_FAMILIES.content, call: "videos.createIn", check };
}

export function isVideoFamily(value: unknown): value is VideoFamily {
  return typeof value === "string" && Object.hasOwn(VIDEO_FAMILIES, value);
}

/** Whether an id can be put into a path: segments of dots would be resolved away on the way to the server. */
export function isTaskId(value: unknown): value is string {
  return typeof value === "string" && value !== "" && !/^\.+$/.test(value);
}
