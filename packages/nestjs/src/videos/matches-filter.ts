import { isFinished, type VideoTaskRecord } from "./video-task-record.js";
import type { VideoTaskFilter } from "./video-task-store.js";

/** Whether all conditions that are given hold for a record. */
export function matchesFilter(
  record: VideoTaskRecord,
  { tenant, status, waiting, stalled, finished, delivery }: VideoTaskFilter,
): boolean {
  if (tenant !== undefined && record.tenant !== tenant) return false;
  if (status !== undefined && record.status !== status) return false;
  if (waiting !== undefined && waiting !== (record.waiting !== undefined)) return false;
  if (stalled !== undefined && stalled !== (record.stalled !== undefined)) return false;
  if (delivery !== undefined && !record.deliveries?.some(({ state }) => state === delivery)) return false;
  return finished === undefined || finished === isFinished(record);
}
