import type { ModelGateway, VideoTask } from "@model-gateway/core";
import type { VideoTaskRecord } from "./video-task-record.js";

/**
 * Whether a task that the gateway knows can be the one of a submission whose id was lost: nothing that it tells
 * of itself may speak against it.
 */
export function isTaskOf(
  gateway: ModelGateway,
  { key, submission }: VideoTaskRecord,
  { raw, family }: VideoTask,
): boolean {
  const { externalTaskId } = gateway.videos.readCallback(raw, { family });
  const model = (raw as { model?: unknown } | null)?.model;
  if (submission.family === "content") return typeof model !== "string" || model === submission.body.model;
  return externalTaskId === undefined || externalTaskId === (submission.body.external_task_id ?? key);
}
