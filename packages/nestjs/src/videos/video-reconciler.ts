import type { ModelGateway } from "@model-gateway/core";
import { ConflictException, Logger } from "@nestjs/common";
import { isTaskOf } from "./is-task-of.js";
import { isOver, type VideoTaskRecord } from "./video-task-record.js";
import type { VideoTaskStore } from "./video-task-store.js";

/** What somebody found out about a submission of unknown outcome. */
export type VideoFinding =
  /** The gateway has it as this task: the usage records of the key tell. */
  | { taskId: string }
  /** It was surely not paid for. Frees the key. */
  | { notPaid: true };

/** The gateway is asked about an orphan at most so often, however many callbacks come. */
const MIN_HEALING_GAP_MS = 1_000;

/** Brings submissions back into line with the gateway. Nothing here creates a task. */
export class VideoReconciler {
  private readonly logger = new Logger(VideoReconciler.name);
  /** When an orphan was last looked for, by key. */
  private readonly healedAt = new Map<string, number>();

  constructor(
    private readonly gateway: ModelGateway,
    private readonly store: VideoTaskStore,
  ) {}

  /** Asks for a known task once, and has it polled on. */
  async askAgain(record: VideoTaskRecord): Promise<void> {
    if (isOver(record)) return;
    const { key, status, handle } = record;
    if (handle === undefined) {
      throw new ConflictException(
        `Video ${key} is ${status} and has no task id: say what you found out about it.`,
      );
    }
    await this.store.accept(key, await this.gateway.videos.retrieve(handle));
  }

  /** Gives a submission the task that the gateway has under this id, if it can be that of the submission. */
  async adopt(record: VideoTaskRecord, taskId: string): Promise<void> {
    const { key, submission, createdAt, handle } = record;
    if (isOver(record) || (handle !== undefined && handle.id !== taskId)) {
      throw new ConflictException(`Video ${key} has task ${handle?.id} already.`);
    }
    const task = await this.gateway.videos.retrieve({
      v: 1,
      family: submission.family,
      id: taskId,
      createdAt,
    });
    if (!isTaskOf(this.gateway, record, task)) {
      throw new ConflictException(
        `Task ${taskId} is not that of video ${key}: it was made by another request.`,
      );
    }
    const others = await this.store.list();
    const taken = others.find((other) => other.key !== key && other.handle?.id === taskId);
    if (taken !== undefined) throw new ConflictException(`Task ${taskId} is that of video ${taken.key}.`);
    await this.store.accept(key, task);
  }

  /** Frees the key of a submission that was not paid for. */
  async free({ key, status, handle }: VideoTaskRecord): Promise<void> {
    if (status === "rejected") return;
    if (status !== "unknown" || handle !== undefined) {
      throw new ConflictException(
        `Video ${key} is ${status}: only one of unknown outcome that has no task can be freed.`,
      );
    }
    await this.store.reject(key, { kind: "other", message: "Reconciled: it was not paid for." });
  }

  /** Looks for the task of an orphan after a callback. Never rejects: what the callback says may be made up. */
  async heal(record: VideoTaskRecord, body: unknown): Promise<void> {
    const { key, submission, handle } = record;
    const now = performance.now();
    if (now - (this.healedAt.get(key) ?? Number.NEGATIVE_INFINITY) < MIN_HEALING_GAP_MS) return;
    this.healedAt.set(key, now);
    const { id } = this.gateway.videos.readCallback(body, { family: submission.family });
    try {
      if (handle !== undefined) await this.askAgain(record);
      else if (id !== undefined) await this.adopt(record, id);
      else return;
      this.healedAt.delete(key);
    } catch (error) {
      this.logger.warn(`A callback for video ${key} led to no task: ${String(error)}`);
    }
  }
}
