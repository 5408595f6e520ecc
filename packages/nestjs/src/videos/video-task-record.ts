import {
  type VideoStatus,
  type VideoSubmission,
  type VideoTask,
  type VideoTaskHandle,
  videoOutcome,
} from "@model-gateway/core";

/**
 * Where a submission stands.
 * - `submitting`: the intent is written, the gateway has not answered yet
 * - `rejected`: the gateway surely did not take it; nothing was paid and the key is free again
 * - `unknown`: it may have been paid, and nothing tells how it stands: `problem` says why
 * - any other: the task's own status, as last polled
 */
export type VideoTaskRecordStatus = "submitting" | "rejected" | "unknown" | VideoStatus;

/** Why a submission is `rejected` or `unknown`. Plain JSON. */
export interface VideoTaskProblem {
  /** `kind` of core's error, or `other`. */
  kind: string;
  message: string;
  requestId?: string;
}

/** What is written before the gateway is asked. */
export interface VideoTaskIntent {
  key: string;
  /** What is asked of the gateway; strings longer than 4096 characters are cut. */
  submission: VideoSubmission;
}

/** A submission and its task, as the store knows it. Plain JSON. Times are milliseconds since the epoch. */
export interface VideoTaskRecord extends VideoTaskIntent {
  status: VideoTaskRecordStatus;
  /** Grows with every change of this record. */
  version: number;
  /** Names the task at the gateway, once it was taken. */
  handle?: VideoTaskHandle;
  /** The task as last polled, with the gateway's raw answer. */
  task?: VideoTask;
  problem?: VideoTaskProblem;
  /** Since when it is polled. */
  watchedSince?: number;
  /** Since when nobody polls it, on demand of the application. */
  watchCancelledAt?: number;
  createdAt: number;
  updatedAt: number;
}

/** Whether the gateway says that the task is over. Nothing changes such a record any more. */
export function isOver({ task }: VideoTaskRecord): boolean {
  return task !== undefined && videoOutcome(task) !== "pending";
}

/** Whether nothing more is to come by itself: over, `rejected`, `unknown`, or not polled any more. */
export function isSettled(record: VideoTaskRecord): boolean {
  const { status, watchCancelledAt } = record;
  return isOver(record) || status === "rejected" || status === "unknown" || watchCancelledAt !== undefined;
}

// The changes that every store makes, so that all make the same.

/** @param previous the rejected record of an earlier attempt with the same key */
export function begunRecord(intent: VideoTaskIntent, previous?: VideoTaskRecord): VideoTaskRecord {
  const now = Date.now();
  return {
    ...intent,
    status: "submitting",
    version: (previous?.version ?? 0) + 1,
    createdAt: now,
    updatedAt: now,
  };
}

/** A record after the gateway took the task, or somebody found it again. */
export function acceptedRecord(record: VideoTaskRecord, task: VideoTask): VideoTaskRecord {
  return { ...polledRecord(record, task), watchedSince: Date.now() };
}

/** A record after a poll. */
export function polledRecord(record: VideoTaskRecord, task: VideoTask): VideoTaskRecord {
  const { problem: _solved, watchCancelledAt: _resumed, ...rest } = record;
  return { ...rest, ...touched(record), status: task.status, handle: task.handle, task };
}

/** A record that something went wrong with. */
export function troubledRecord(
  record: VideoTaskRecord,
  status: "rejected" | "unknown",
  problem: VideoTaskProblem,
): VideoTaskRecord {
  return { ...record, ...touched(record), status, problem };
}

/** A record that nobody wants polled any more. */
export function unwatchedRecord(record: VideoTaskRecord): VideoTaskRecord {
  return { ...record, ...touched(record), watchCancelledAt: Date.now() };
}

function touched({ version }: VideoTaskRecord): Pick<VideoTaskRecord, "version" | "updatedAt"> {
  return { version: version + 1, updatedAt: Date.now() };
}
