import type { ModelGateway, VideoSubmission, VideoTask } from "@model-gateway/core";

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
  // The flat form has no field for it.
  const named = family === "content" ? callback : { external_task_id: key, ...callback };
  return gateway.videos.createIn(family, { ...named, ...body });
}
