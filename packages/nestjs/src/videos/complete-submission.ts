import type { VideoSubmission } from "@model-gateway/core";

/** What the module adds to a body. */
export interface SubmissionExtras {
  /** Our key: becomes `external_task_id` where the family has one, so that the task can be told by it. */
  key: string;
  callbackURL: string | undefined;
}

/** The submission as it is sent; what the caller set in the body stays as it is. */
export function completeSubmission(
  { family, body }: VideoSubmission,
  { key, callbackURL }: SubmissionExtras,
): VideoSubmission {
  const callback = callbackURL === undefined ? {} : { callback_url: callbackURL };
  // The flat form has no field for it.
  const named = family === "content" ? callback : { external_task_id: key, ...callback };
  // The parts fit together as they did before.
  return { family, body: { ...named, ...body } } as VideoSubmission;
}
