import type { ModelGateway, VideoTask } from "@model-gateway/core";
import type { VideoSubmission } from "./video-task-record.js";

/** What the module adds to a body. */
export interface SubmissionExtras {
  /** Our key: becomes `external_task_id` where the family has one, so that the task can be told by it. */
  key: string;
  callbackURL: string | undefined;
}

/** Creates the task; what the caller set in the body stays as it is. Paid. */
export function createVideoTask(
  gateway: ModelGateway,
  { family, body }: VideoSubmission,
  { key, callbackURL }: SubmissionExtras,
): Promise<VideoTask> {
  const callback = callbackURL === undefined ? {} : { callback_url: callbackURL };
  const named = { external_task_id: key, ...callback };
  switch (family) {
    case "content":
      return gateway.videos.create({ ...callback, ...body });
    case "image2video":
      return gateway.videos.imageToVideo({ ...named, ...body });
    case "omni-video":
      return gateway.videos.omniVideo({ ...named, ...body });
  }
}
