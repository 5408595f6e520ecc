import { createHash } from "node:crypto";
import { FINAL_VIDEO_STATUSES, type FinalVideoStatus } from "@model-gateway/core";
import type { VideoTaskProblem, VideoTaskRecord } from "./video-task-record.js";

/** How a submission may come to its end, for those who are to be told of it. */
export type VideoHandlerStatus = FinalVideoStatus | "unknown";

/** Whether one handler has dealt with the end of a submission. Plain JSON; times are milliseconds since the epoch. */
export interface VideoDelivery {
  /** Class and method, such as `Mailer.send`, or the name that `@OnVideo` was given. */
  handler: string;
  /** The status that it is to be told of. */
  status: VideoHandlerStatus;
  /**
   * - `due`: it has to be called, for the first time or again
   * - `delivered`: it returned, and is not called again
   * - `dead`: it failed at every attempt, and is called again only after `videos.redeliver(key)`
   */
  state: "due" | "delivered" | "dead";
  /** Calls that were begun, the one under way included. */
  attempts: number;
  /** Not called again before. Left out while it is called. */
  nextAttemptAt?: number;
  /** Why the last call failed. */
  problem?: VideoTaskProblem;
  deliveredAt?: number;
}

/** What a handler is told beside the record. */
export interface VideoDeliveryAttempt {
  /**
   * The same at each attempt for this submission, status and handler, in whatever process: what the handler did under this
   * id need not be done again.
   */
  id: string;
  handler: string;
  status: VideoHandlerStatus;
  /** 1 at the first attempt. One that a crash ended counts. */
  attempt: number;
  /**
   * Aborts when nobody waits for the handler any more: the application closes, or another process may take the submission
   * over. It is called again then.
   */
  signal: AbortSignal;
}

/** Every status that handlers can be told of. */
export const VIDEO_HANDLER_STATUSES: readonly VideoHandlerStatus[] = [...FINAL_VIDEO_STATUSES, "unknown"];

/** Whether handlers can be told of this status. */
export function isHandlerStatus(status: unknown): status is VideoHandlerStatus {
  return (VIDEO_HANDLER_STATUSES as readonly unknown[]).includes(status);
}

/** Whether a handler still has to be called. */
export function hasDueDeliveries({ deliveries = [] }: VideoTaskRecord): boolean {
  return deliveries.some(({ state }) => state === "due");
}

/** Whether each handler that was to be called has returned. */
export function isDelivered({ deliveries = [] }: VideoTaskRecord): boolean {
  return deliveries.every(({ state }) => state === "delivered");
}

/** A stable id of a delivery: another submission under the same key has others. */
export function deliveryIdOf(
  { key, createdAt }: VideoTaskRecord,
  { handler, status }: VideoDelivery,
): string {
  const text = JSON.stringify([key, createdAt, status, handler]);
  return createHash("sha256").update(text).digest("base64url");
}

// The changes that every store makes, so that all make the same.

/**
 * A record that is about to be written, with what has to be delivered of it when it has just come to its end.
 *
 * @param handlersOf names of the handlers that are to be told of a status
 */
export function withDueDeliveries(
  previous: VideoTaskRecord | undefined,
  record: VideoTaskRecord,
  handlersOf: ((status: VideoHandlerStatus) => readonly string[]) | undefined,
): VideoTaskRecord {
  const { status, deliveries: before = [] } = record;
  if (handlersOf === undefined || previous?.status === status || !isHandlerStatus(status)) return record;
  const isNew = (handler: string) =>
    before.every((delivery) => delivery.handler !== handler || delivery.status !== status);
  const due = handlersOf(status)
    .filter(isNew)
    .map((handler): VideoDelivery => ({ handler, status, state: "due", attempts: 0 }));
  return due.length === 0 ? record : { ...record, deliveries: [...before, ...due] };
}

/** What remains to be known of deliveries when a submission goes on: nobody need hear of what has healed. */
export function healedDeliveries({ deliveries = [] }: VideoTaskRecord): Pick<VideoTaskRecord, "deliveries"> {
  const delivered = deliveries.filter(({ state }) => state === "delivered");
  return delivered.length === 0 ? {} : { deliveries: delivered };
}

/** A record after a call of a handler began or ended; undefined when the delivery is not wanted any more. */
export function deliveryRecord(
  record: VideoTaskRecord,
  delivery: VideoDelivery,
): VideoTaskRecord | undefined {
  const { deliveries = [], version } = record;
  const index = deliveries.findIndex(
    ({ handler, status }) => handler === delivery.handler && status === delivery.status,
  );
  if (index < 0 || deliveries[index]?.state === "delivered") return undefined;
  return {
    ...record,
    version: version + 1,
    updatedAt: Date.now(),
    deliveries: deliveries.with(index, delivery),
  };
}

/** A record whose dead deliveries are due again, from the first attempt; undefined when there are none. */
export function redeliveredRecord(record: VideoTaskRecord): VideoTaskRecord | undefined {
  const { deliveries = [], version } = record;
  if (deliveries.every(({ state }) => state !== "dead")) return undefined;
  return {
    ...record,
    version: version + 1,
    updatedAt: Date.now(),
    deliveries: deliveries.map((delivery) => (delivery.state === "dead" ? revived(delivery) : delivery)),
  };
}

/** A dead delivery that is due again. */
export function revived({ handler, status, problem }: VideoDelivery): VideoDelivery {
  return { handler, status, state: "due", attempts: 0, ...(problem !== undefined && { problem }) };
}
