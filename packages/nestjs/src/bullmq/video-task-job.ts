import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Job } from "bullmq";
import { revived, type VideoDelivery } from "../videos/video-delivery.js";
import type { VideoTaskIntent, VideoTaskProblem, VideoTaskRecord } from "../videos/video-task-record.js";

// A task is one job, and its record has two parts, so that nobody overwrites a task id that another writes at the same
// time: the job's data, written by those who submit, reconcile and cancel, and its progress, written by those who learn
// how it goes, which is the one worker that has the job. BullMQ replaces each as a whole.

/** How a task stands, as one of the two parts sees it. */
export type Standing = Pick<
  VideoTaskRecord,
  | "status"
  | "turn"
  | "handle"
  | "task"
  | "problem"
  | "stalled"
  | "keeping"
  | "files"
  | "watchedSince"
  | "updatedAt"
> & { deliveries?: StoredDelivery[] };

/** A delivery, with the round that it died in: a later one makes it due again. */
type StoredDelivery = VideoDelivery & { round?: number };

/** Data of a job: what was submitted, and what became of the submission. */
export interface SubmissionData extends VideoTaskIntent {
  createdAt: number;
  /** Grows within a process: the order of submissions of one millisecond. */
  sequence: number;
  /** Tells which of two that wanted the key at once has it. */
  nonce: string;
  /** Grows with every write of this part. */
  revision: number;
  /** The revision that last said how the task stands. Polls on the ground of an earlier one do not count. */
  basis: number;
  standing: Standing;
  watchCancelledAt?: number;
  /** Why, when not the application wanted it so. */
  watchProblem?: VideoTaskProblem;
  /** Grows whenever deliveries are asked for again. */
  round?: number;
}

/** Progress of a job, and its return value in the end: what polls found. */
export interface PollData {
  basis: number;
  /** Grows with every change of the record by this part. */
  revision: number;
  standing: Standing;
  /** Failed polls in a row. */
  failedPolls: number;
}

/** A job that holds a record. */
export type VideoTaskJob = Job<SubmissionData, PollData | null>;

type Parts = Pick<VideoTaskJob, "data" | "progress" | "returnvalue">;

/** BullMQ restricts what an id may be made of; a key may be anything. */
export function jobIdOf(key: string): string {
  return `video-${createHash("sha256").update(key).digest("base64url")}`;
}

/** The record that the parts of a job make. */
export function recordOf(job: Parts): VideoTaskRecord {
  const { key, submission, tenant, metadata, createdAt, revision, standing, round = 0 } = job.data;
  const { watchCancelledAt, watchProblem, waiting } = job.data;
  const polls = pollsOf(job);
  const { updatedAt, stalled, keeping, deliveries, ...current } = currentPolls(job)?.standing ?? standing;
  return {
    key,
    submission,
    ...(tenant !== undefined && { tenant }),
    ...(metadata !== undefined && { metadata }),
    ...(waiting !== undefined && { waiting }),
    ...current,
    // What nobody polls is not about to be read.
    ...(stalled !== undefined && watchCancelledAt === undefined && { stalled }),
    ...(keeping !== undefined && watchCancelledAt === undefined && { keeping }),
    ...(deliveries !== undefined && { deliveries: deliveries.map((stored) => deliveryOf(stored, round)) }),
    ...(watchProblem !== undefined && { problem: watchProblem }),
    version: revision + (polls?.revision ?? 0),
    createdAt,
    updatedAt: Math.max(updatedAt, watchCancelledAt ?? 0),
    ...(watchCancelledAt !== undefined && { watchCancelledAt }),
  };
}

/** What polls found of the task as it was last submitted; undefined when there was none, or of an earlier state only. */
export function currentPolls(job: Parts): PollData | undefined {
  const polls = pollsOf(job);
  return polls?.basis === job.data.basis ? polls : undefined;
}

function deliveryOf({ round: diedIn = 0, ...delivery }: StoredDelivery, round: number): VideoDelivery {
  return delivery.state === "dead" && diedIn < round ? revived(delivery) : delivery;
}

/**
 * The return value is written together with the job's end, by the holder of its lock, so it stands above a
 * progress that a worker wrote late that had lost the lock.
 */
function pollsOf({ returnvalue, progress }: Parts): PollData | undefined {
  if (returnvalue) return returnvalue;
  return isPollData(progress) ? progress : undefined;
}

function isPollData(progress: unknown): progress is PollData {
  return typeof progress === "object" && progress !== null && "standing" in progress;
}

/** Data of the first write: the intent. */
export function begunData(record: VideoTaskRecord, nonce: string, sequence: number): SubmissionData {
  const { key, submission, tenant, metadata, waiting, createdAt } = record;
  const standing = standingOf(record);
  return {
    key,
    submission: storable(submission),
    ...(tenant !== undefined && { tenant: storable(tenant) }),
    ...(metadata !== undefined && { metadata: storable(metadata) }),
    ...(waiting !== undefined && { waiting: storable(waiting) }),
    createdAt,
    sequence,
    nonce,
    revision: 1,
    basis: 1,
    standing,
  };
}

/** Data after one who submits or reconciles said how the task stands. */
export function statedData(data: SubmissionData, record: VideoTaskRecord): SubmissionData {
  const { watchCancelledAt: _before, watchProblem: _why, waiting: _waited, ...rest } = data;
  const revision = data.revision + 1;
  const { watchCancelledAt, waiting } = record;
  return {
    ...rest,
    revision,
    basis: revision,
    standing: standingOf(record, data.round),
    ...(waiting !== undefined && { waiting: storable(waiting) }),
    ...(watchCancelledAt !== undefined && { watchCancelledAt }),
  };
}

/** Data after somebody wanted the task polled no more. A poll under way right now still counts. */
export function cancelledData(
  { watchProblem: _before, ...data }: SubmissionData,
  { watchCancelledAt, problem }: VideoTaskRecord,
): SubmissionData {
  return {
    ...data,
    revision: data.revision + 1,
    ...(watchCancelledAt !== undefined && { watchCancelledAt }),
    ...(problem !== undefined && { watchProblem: storable(problem) }),
  };
}

/** Data after somebody wanted dead deliveries to be due again. */
export function redeliveredData(data: SubmissionData): SubmissionData {
  return { ...data, revision: data.revision + 1, round: (data.round ?? 0) + 1 };
}

/** Progress after the worker that has the job learned how the task stands. */
export function polledData(job: Parts, record: VideoTaskRecord, failedPolls: number): PollData {
  const { basis, createdAt } = job.data;
  // At least the age, so that a worker that writes late, after it lost its lock, cannot make it fall behind what
  // watchers have seen.
  const revision = Math.max((pollsOf(job)?.revision ?? 0) + 1, Date.now() - createdAt);
  return { basis, revision, standing: standingOf(record, job.data.round), failedPolls };
}

/** Progress after a poll that learned nothing that would be told. */
export function failedData(job: Parts, record: VideoTaskRecord, failedPolls: number): PollData {
  return {
    basis: job.data.basis,
    revision: pollsOf(job)?.revision ?? 0,
    standing: standingOf(record, job.data.round),
    failedPolls,
  };
}

/** Whether a record stands so, whatever the time. */
export function sameStanding(standing: Standing, record: VideoTaskRecord, round?: number): boolean {
  // Both as they look after a trip through a database that keeps no order of fields.
  return isDeepStrictEqual({ ...standing, updatedAt: 0 }, { ...standingOf(record, round), updatedAt: 0 });
}

function standingOf(record: VideoTaskRecord, round = 0): Standing {
  const { status, turn, handle, task, problem, stalled, keeping, files, watchedSince, updatedAt } = record;
  const stored = record.deliveries?.map((delivery) =>
    delivery.state === "dead" ? { ...delivery, round } : delivery,
  );
  return {
    status,
    ...(turn !== undefined && { turn }),
    ...(handle !== undefined && { handle }),
    ...(task !== undefined && { task: storable(task) }),
    ...(problem !== undefined && { problem: storable(problem) }),
    ...(stalled !== undefined && { stalled: storable(stalled) }),
    ...(keeping !== undefined && { keeping: storable(keeping) }),
    ...(files !== undefined && { files: storable(files) }),
    ...(watchedSince !== undefined && { watchedSince }),
    ...(stored !== undefined && { deliveries: storable(stored) }),
    updatedAt,
  };
}

const UNSTORABLE = /\0|\p{Surrogate}/gu;

/** PostgreSQL refuses JSON with a NUL or with half a character in a text. */
function storable<T>(value: T): T {
  const mend = (_name: string, inner: unknown) =>
    typeof inner === "string" ? inner.replace(UNSTORABLE, "\uFFFD") : inner;
  return JSON.parse(JSON.stringify(value, mend)) as T;
}
