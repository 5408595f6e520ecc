import {
  FINAL_VIDEO_STATUSES,
  VIDEO_STATUS,
  type VideoStatus,
  type VideoSubmission,
  type VideoTask,
  type VideoTaskHandle,
  videoOutcome,
} from "@model-gateway/core";
import type { KeptFile } from "../files/file-store.js";
import { healedDeliveries, isDelivered, type VideoDelivery } from "./video-delivery.js";

/**
 * Where a submission stands.
 * - `submitting`: the intent is written, the gateway has not answered yet
 * - `rejected`: the gateway surely did not take it; nothing was paid and the key is free again
 * - `unknown`: it may have been paid for, and nobody knows its task: `problem` says why
 * - `queued` with `waiting` set: it waits here for its turn (`videos.maxOpen`); nothing was sent, and nothing paid
 * - `failed` without a `task`: the gateway refused it when it had its turn; `cancelled` without one: it was cancelled while
 *   it waited. Nothing was paid
 * - any other: the task's own status, as last polled. One that has a task stays so, whatever polls come to
 */
export type VideoTaskRecordStatus = "submitting" | "rejected" | "unknown" | VideoStatus;

/** Why a submission is `rejected`, `unknown` or refused, or its task cannot be read. Plain JSON. */
export interface VideoTaskProblem {
  /** `kind` of core's error, or `other`. */
  kind: string;
  message: string;
  requestId?: string;
}

/** A task that cannot be read at the moment. It goes on at the gateway, and is polled on. Plain JSON. */
export interface VideoTaskStall {
  /** When the first of the polls in a row failed, in milliseconds since the epoch. */
  since: number;
  /** Polls that failed in a row. */
  failedPolls: number;
  /** Why the last one failed. */
  problem: VideoTaskProblem;
  /** About when it is polled again, in milliseconds since the epoch. */
  nextPollAt: number;
}

/** A submission that waits for its turn. Plain JSON. Times are milliseconds since the epoch. */
export interface VideoTaskWait {
  since: number;
  /** Of the submissions of one tenant, the one with the highest goes first. */
  priority: number;
  /** The body that will be sent, whole, as JSON: `submission` may be cut. */
  body: string;
  /** How often it had its turn and the gateway did not take it, since it was busy or not to be reached. */
  attempts: number;
  /** Not sent before. */
  nextAttemptAt?: number;
  /** Why it was not taken the last time. */
  problem?: VideoTaskProblem;
}

/** What an application may put beside a submission: plain JSON, of at most 4096 bytes as text. */
export type VideoMetadata = Record<string, JSONValue>;

/** What JSON can hold. */
export type JSONValue = string | number | boolean | null | JSONValue[] | { [name: string]: JSONValue };

/** A file of a task that is kept. Plain JSON. */
export interface KeptVideoFile extends KeptFile {
  /** What it is of the task; `watermarked` is `watermarkURL` of a video. */
  kind: "video" | "watermarked" | "last_frame";
  /** Of the video in `task.videos`; 0 for a last frame. */
  index: number;
}

/** What became of the files of a task that succeeded. */
export interface KeptResult {
  files: KeptVideoFile[];
  /** Why one is missing: its address is dead. */
  problem?: VideoTaskProblem;
}

/** A task that has succeeded, and whose files are being kept. It succeeds in its record when they are. Plain JSON. */
export interface VideoTaskKeeping {
  /** The task as the gateway gave it in the end. */
  task: VideoTask;
  /** When it was seen to have succeeded, in milliseconds since the epoch. */
  since: number;
  /** Attempts in a row that did not keep all of its files. */
  failedAttempts: number;
  /** Why the last one did not. */
  problem?: VideoTaskProblem;
  /** Set when a file has arrived at some process, whose store has not taken it yet: its address is not all there is of it. */
  arrived?: boolean;
  /** How often the gateway gave other addresses after all that it had given before were dead. */
  renewals?: number;
  /** When the first of the addresses dies, in milliseconds since the epoch, if they tell. */
  expiresAt?: number;
  /** About when it is tried again, in milliseconds since the epoch. */
  nextAttemptAt?: number;
}

/** What is written before the gateway is asked. */
export interface VideoTaskIntent {
  key: string;
  /** What is asked of the gateway; strings longer than 4096 characters are cut. */
  submission: VideoSubmission;
  /** Whose it is, as the application calls them. */
  tenant?: string;
  /** What the application wants to find again with it: small, plain JSON. */
  metadata?: VideoMetadata;
  /** Set while it waits for its turn, with what it will send. */
  waiting?: VideoTaskWait;
}

/** A submission and its task, as the store knows it. Plain JSON. Times are milliseconds since the epoch. */
export interface VideoTaskRecord extends VideoTaskIntent {
  status: VideoTaskRecordStatus;
  /** Grows with every change of this record. */
  version: number;
  /** Which of its turns it has, 1 for the first, while it is `submitting` and had waited. */
  turn?: number;
  /** Names the task at the gateway, once it was taken. */
  handle?: VideoTaskHandle;
  /** The task as last polled, with the gateway's raw answer. */
  task?: VideoTask;
  /**
   * Why it is `rejected`, `unknown` or refused, why the module itself polls it no more (`videos.maxWatchMs`), or, of one that
   * `succeeded`, why a file of it is not kept.
   */
  problem?: VideoTaskProblem;
  /**
   * Set while its files are being kept (`videos.keep`): the task is over at the gateway, and the rest of the record is how it
   * was before. A change of it is told when it begins and when the kind of its problem changes.
   */
  keeping?: VideoTaskKeeping;
  /** Its files, each durable, once it `succeeded`, if `videos.keep` is set. */
  files?: KeptVideoFile[];
  /**
   * Set while the task cannot be read. A change of it is told when it begins, when the kind of the problem changes, and
   * when it ends; the counts of a record that is read are those of the last poll.
   */
  stalled?: VideoTaskStall;
  /** Since when it is polled. */
  watchedSince?: number;
  /** Since when nobody polls it: on demand of the application, or, with a `problem`, after `videos.maxWatchMs`. */
  watchCancelledAt?: number;
  /** Which handlers are to be told of its end, and which have been. Left out where there is none to tell. */
  deliveries?: VideoDelivery[];
  createdAt: number;
  updatedAt: number;
}

/**
 * Whether it has come to its end: the gateway says that the task is over, or a submission that waited was refused or
 * cancelled. Nothing but its deliveries changes such a record any more.
 */
export function isOver({ task, status }: VideoTaskRecord): boolean {
  if (task !== undefined) return videoOutcome(task) !== "pending";
  return (FINAL_VIDEO_STATUSES as readonly string[]).includes(status);
}

/** Whether it waits for its turn: nothing was sent. */
export function isWaiting(record: VideoTaskRecord): record is VideoTaskRecord & { waiting: VideoTaskWait } {
  return record.waiting !== undefined;
}

/** Whether it waits, and may be sent by now. */
export function isDue({ waiting }: VideoTaskRecord): boolean {
  return waiting !== undefined && (waiting.nextAttemptAt ?? 0) <= Date.now();
}

/**
 * Whether the gateway may have it among its open tasks: from submission to end, one of unknown outcome included. One that
 * the application gave up (`cancelWatch`) does not count: nobody would learn of its end. Nor does one whose files are being kept.
 */
export function isOpen(record: VideoTaskRecord): boolean {
  const { waiting, keeping } = record;
  return waiting === undefined && keeping === undefined && !isOver(record) && !isFinished(record);
}

/** Whether nothing more is to come by itself: over, `rejected`, `unknown`, or not polled any more. */
export function isSettled(record: VideoTaskRecord): boolean {
  const { status, watchCancelledAt } = record;
  return isOver(record) || status === "rejected" || status === "unknown" || watchCancelledAt !== undefined;
}

/**
 * Whether nobody has to do anything about it any more, so that it may be forgotten in time: over and delivered to all its
 * handlers, `rejected`, or given up by the application.
 */
export function isFinished(record: VideoTaskRecord): boolean {
  const { status, problem, watchCancelledAt } = record;
  if (isOver(record)) return isDelivered(record);
  if (status === "rejected") return true;
  return watchCancelledAt !== undefined && problem === undefined;
}

/** Whether a record is of another submission than the one before with its key, which was rejected. */
export function isNewSubmission(record: VideoTaskRecord, before: VideoTaskRecord | undefined): boolean {
  return before?.status === "rejected" && record.status !== "rejected" && record.handle === undefined;
}

// The changes that every store makes, so that all make the same.

/** @param previous the rejected record of an earlier attempt with the same key */
export function begunRecord(intent: VideoTaskIntent, previous?: VideoTaskRecord): VideoTaskRecord {
  const now = Date.now();
  return {
    ...intent,
    status: intent.waiting === undefined ? "submitting" : VIDEO_STATUS.queued,
    version: (previous?.version ?? 0) + 1,
    createdAt: now,
    updatedAt: now,
  };
}

/** A record after the gateway took the task, or somebody found it again. */
export function acceptedRecord(record: VideoTaskRecord, task: VideoTask): VideoTaskRecord {
  const { deliveries: _before, turn: _over, ...rest } = record;
  return { ...polledRecord(rest, task), ...healedDeliveries(record), watchedSince: Date.now() };
}

/** A record whose turn it is to be sent; undefined when it does not wait. */
export function takenRecord({ waiting, ...record }: VideoTaskRecord): VideoTaskRecord | undefined {
  return waiting && { ...record, ...touched(record), status: "submitting", turn: waiting.attempts + 1 };
}

/**
 * A record that was taken, and surely not sent or not accepted, when it waits again, also where it was taken for lost
 * meanwhile; undefined when something came of it, or when it has had another turn since: what is written again because its answer
 * was lost must not put back what somebody is paying for by now.
 */
export function returnedRecord(record: VideoTaskRecord, waiting: VideoTaskWait): VideoTaskRecord | undefined {
  const { deliveries: _before, problem: _late, turn, ...rest } = record;
  if (record.status !== "submitting" && record.status !== "unknown") return undefined;
  if (turn !== undefined && turn !== waiting.attempts) return undefined;
  return { ...rest, ...touched(record), ...healedDeliveries(record), status: VIDEO_STATUS.queued, waiting };
}

/** A record that the gateway refused when it had its turn. One that has its task stays as it is. */
export function refusedRecord(
  { waiting: _over, turn: _had, ...record }: VideoTaskRecord,
  problem: VideoTaskProblem,
): VideoTaskRecord | undefined {
  if (record.handle !== undefined) return undefined;
  return { ...record, ...touched(record), status: VIDEO_STATUS.failed, problem };
}

/** A record that was cancelled while it waited; undefined when it does not wait any more. */
export function cancelledRecord({ waiting, ...record }: VideoTaskRecord): VideoTaskRecord | undefined {
  return waiting && { ...record, ...touched(record), status: VIDEO_STATUS.cancelled };
}

/** A record after a poll. @param kept what became of the files of a task that succeeded, if they are to be kept */
export function polledRecord(record: VideoTaskRecord, task: VideoTask, kept?: KeptResult): VideoTaskRecord {
  const {
    problem: _solved,
    stalled: _ended,
    keeping: _over,
    files: _before,
    watchCancelledAt: _resumed,
    ...rest
  } = record;
  return { ...rest, ...touched(record), status: task.status, handle: task.handle, task, ...kept };
}

/** A record of a submission that something went wrong with. One that has its task stays as it is. */
export function troubledRecord(
  record: VideoTaskRecord,
  status: "rejected" | "unknown",
  problem: VideoTaskProblem,
): VideoTaskRecord | undefined {
  if (record.handle !== undefined) return undefined;
  return { ...record, ...touched(record), status, problem };
}

/** A record after a poll that failed. Its version grows when that is news. */
export function stalledRecord(record: VideoTaskRecord, stalled: VideoTaskStall): VideoTaskRecord {
  const isNews = record.stalled?.problem.kind !== stalled.problem.kind;
  return { ...record, ...(isNews && touched(record)), stalled };
}

/** A record whose files are being kept. Its version grows when that, or why it did not work yet, is news. */
export function keepingRecord(
  { stalled, ...record }: VideoTaskRecord,
  keeping: VideoTaskKeeping,
): VideoTaskRecord {
  const { keeping: before } = record;
  const isNews =
    before === undefined || before.problem?.kind !== keeping.problem?.kind || stalled !== undefined;
  return { ...record, ...(isNews && touched(record)), keeping };
}

/** A record that nobody polls any more. @param problem set when not the application wanted it so */
export function unwatchedRecord(record: VideoTaskRecord, problem?: VideoTaskProblem): VideoTaskRecord {
  const { stalled: _notPolled, keeping: _notKept, problem: _before, ...rest } = record;
  return {
    ...rest,
    ...touched(record),
    watchCancelledAt: Date.now(),
    ...(problem !== undefined && { problem }),
  };
}

/** A record that the module itself left after its time, when it is polled again. */
export function resumedRecord({
  problem: _late,
  watchCancelledAt: _left,
  ...record
}: VideoTaskRecord): VideoTaskRecord {
  return { ...record, ...touched(record), watchedSince: Date.now() };
}

function touched({ version }: VideoTaskRecord): Pick<VideoTaskRecord, "version" | "updatedAt"> {
  return { version: version + 1, updatedAt: Date.now() };
}
