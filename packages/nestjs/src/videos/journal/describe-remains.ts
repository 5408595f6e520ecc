import type { VideoTaskRecord } from "../video-task-record.js";
import type { KeptRemains } from "./cut-files.js";

/**
 * What a person has to do about a record that could not be read.
 *
 * @param record what is known of its video
 * @returns undefined when nothing is lost with it
 */
export function describeRemains(
  { path, key, taskIds, length, isTorn }: KeptRemains,
  record: VideoTaskRecord | undefined,
): string | undefined {
  if (record?.handle !== undefined) return undefined;
  // Nothing was paid for on the strength of a write that was not over.
  if (isTorn && taskIds.length === 0) return undefined;
  const video = key === undefined ? "a video whose key cannot be read" : `video ${JSON.stringify(key)}`;
  const what = `${path} keeps ${length} bytes of the journal that are not as they were written, of ${video}`;
  return `${what}. ${remedyFor(key, taskIds, record)} Delete ${path} when that is done.`;
}

function remedyFor(
  key: string | undefined,
  taskIds: readonly string[],
  record: VideoTaskRecord | undefined,
): string {
  const [taskId] = taskIds;
  if (taskId === undefined)
    return "It may have been paid for: look into the usage records of your key before you submit it again.";
  const ids = taskIds.map((id) => JSON.stringify(id)).join(" or ");
  const read = `Its task id reads ${ids}, and nothing polls it:`;
  if (key === undefined || record === undefined) return `${read} ask the gateway for that task yourself.`;
  return `${read} call videos.reconcile(${JSON.stringify(key)}, { taskId: ${JSON.stringify(taskId)} }).`;
}
