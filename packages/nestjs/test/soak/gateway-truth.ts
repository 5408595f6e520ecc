import type { VideoStatus, VideoSubmission } from "@model-gateway/core";
import type { Emulator } from "@model-gateway/emulator";

/** A task as the gateway has it. */
export interface PaidTask {
  id: string;
  status: VideoStatus;
}

const STATUSES: Record<string, VideoStatus> = {
  queued: "queued",
  submitted: "queued",
  running: "running",
  processing: "running",
  succeeded: "succeeded",
  succeed: "succeeded",
  failed: "failed",
};

/**
 * One in three has an id of the caller's own at the gateway; one in five fails.
 *
 * @param seed of those that have none
 */
export function submissionOf(index: number, seed: number): VideoSubmission {
  const prompt = index % 5 === 0 ? "A boat that sinks [[fail]]" : "A boat";
  if (index % 3 === 0) return { family: "omni-video", body: { model_name: "local-omni-video", prompt } };
  const content = [{ type: "text" as const, text: prompt }];
  // The seed is what the gateway shows of a submission that has no id of the caller's own.
  const body = {
    model: "local-video-1.5-pro",
    content,
    duration: 4,
    resolution: "480p" as const,
    seed,
  };
  return { family: "content", body };
}

/** What was paid for, by the gateway's own account: the tasks of each key. */
export function paidTasks(emulator: Emulator, keyOf: (seed: number) => string): Map<string, PaidTask[]> {
  const tasks = new Map<string, PaidTask[]>();
  for (const task of emulator.videos.list() as unknown as GatewayTask[]) {
    const key =
      task.data === undefined ? keyOf(task.seed ?? Number.NaN) : task.data.task_info.external_task_id;
    const word = task.data?.task_status ?? task.status ?? "";
    const status = STATUSES[word];
    if (status === undefined) throw new Error(`The gateway says ${word}.`);
    tasks.set(key, [...(tasks.get(key) ?? []), { id: task.id, status }]);
  }
  return tasks;
}

interface GatewayTask {
  id: string;
  status?: string;
  seed?: number;
  data?: { task_status: string; task_info: { external_task_id: string } };
}
