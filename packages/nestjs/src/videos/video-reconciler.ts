import { GatewayError, type VideoTask } from "@model-gateway/core";
import { Logger } from "@nestjs/common";
import { fromStore } from "./from-store.js";
import { isTaskOf } from "./is-task-of.js";
import type { ResultKeeper } from "./result-keeper.js";
import type { TenantGateways } from "./tenant-gateways.js";
import { VideoConflictError } from "./video-conflict-error.js";
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
/** How the gateway says that it knows no task by our own id, or looks for none so. `invalid_request`: core cannot ask. */
const NOT_FOUND: ReadonlySet<string> = new Set(["not_found", "bad_request", "invalid_request"]);

/** Brings submissions back into line with the gateway. Nothing here creates a task. */
export class VideoReconciler {
  private readonly logger = new Logger(VideoReconciler.name);
  /** When an orphan was last looked for, by key. */
  private readonly healedAt = new Map<string, number>();

  constructor(
    private readonly gateways: TenantGateways,
    private readonly store: VideoTaskStore,
    private readonly keeper: ResultKeeper | undefined,
  ) {}

  /** Asks for a known task once, or looks for an unknown one by our own id, and has it polled on. */
  async askAgain(record: VideoTaskRecord): Promise<void> {
    if (isOver(record)) return;
    const { key, status, handle, tenant } = record;
    if (handle !== undefined) {
      await this.accept(key, await this.gateways.of(tenant).videos.retrieve(handle));
      return;
    }
    const found = await this.lookUp(record);
    if (found === undefined) {
      throw new VideoConflictError(
        key,
        `Video ${key} is ${status} and has no task id: say what you found out about it.`,
      );
    }
    await this.adopt(record, found);
  }

  /** Gives a submission the task that the gateway has under this id, if it can be that of the submission. */
  async adopt(record: VideoTaskRecord, taskId: string): Promise<void> {
    const { key, status, handle } = record;
    if (isOver(record) && handle === undefined)
      throw new VideoConflictError(
        key,
        `Video ${key} is ${status}: the gateway did not take it, and has no task of it.`,
      );
    if (isOver(record) || (handle !== undefined && handle.id !== taskId)) {
      throw new VideoConflictError(key, `Video ${key} has task ${handle?.id} already.`);
    }
    const task = await this.read(record, taskId);
    if (!isTaskOf(this.gateways.own, record, task)) {
      throw new VideoConflictError(
        key,
        `Task ${taskId} is not that of video ${key}: it was made by another request.`,
      );
    }
    const others = await fromStore(this.store.list());
    const taken = others.find((other) => other.key !== key && other.handle?.id === taskId);
    if (taken !== undefined)
      throw new VideoConflictError(key, `Task ${taskId} is that of video ${taken.key}.`);
    await this.accept(key, task);
  }

  /** Frees the key of a submission that was not paid for. */
  async free({ key, status, handle }: VideoTaskRecord): Promise<void> {
    if (status === "rejected") return;
    if (status !== "unknown" || handle !== undefined) {
      throw new VideoConflictError(
        key,
        `Video ${key} is ${status}: only one of unknown outcome that has no task can be freed.`,
      );
    }
    const problem = { kind: "other", message: "Reconciled: it was not paid for." };
    await fromStore(this.store.reject(key, problem));
  }

  /** Looks for the task of an orphan after a callback. Never rejects: what the callback says may be made up. */
  async heal(record: VideoTaskRecord, body: unknown): Promise<void> {
    const { key, submission, handle } = record;
    const now = performance.now();
    if (now - (this.healedAt.get(key) ?? Number.NEGATIVE_INFINITY) < MIN_HEALING_GAP_MS) return;
    this.healedAt.set(key, now);
    const { id } = this.gateways.own.videos.readCallback(body, { family: submission.family });
    try {
      if (handle !== undefined) await this.askAgain(record);
      else if (id !== undefined) await this.adopt(record, id);
      else return;
      this.healedAt.delete(key);
    } catch (error) {
      this.logger.warn(`A callback for video ${key} led to no task: ${String(error)}`);
    }
  }

  /** The id of the task that the gateway has under our own id of a submission; a family that has none is not asked. */
  private async lookUp(record: VideoTaskRecord): Promise<string | undefined> {
    const { submission, key } = record;
    const { family } = submission;
    if (family === "content") return undefined;
    const ownId = submission.body.external_task_id ?? key;
    const task = await this.read(record, ownId).catch((error: unknown) => {
      if (GatewayError.isInstance(error) && NOT_FOUND.has(error.kind)) return undefined;
      throw error;
    });
    if (task === undefined) return undefined;
    const { id, externalTaskId } = this.gateways.own.videos.readCallback(task.raw, { family });
    // A gateway that answers whatever it is asked proves nothing: the task must name itself, and us.
    return externalTaskId === ownId ? id : undefined;
  }

  /** One whose files are to be kept succeeds when they are. */
  private accept(key: string, task: VideoTask): Promise<void> {
    return fromStore(this.store.accept(key, this.keeper?.withhold(task) ?? task));
  }

  private read(
    { submission: { family }, createdAt, tenant }: VideoTaskRecord,
    id: string,
  ): Promise<VideoTask> {
    return this.gateways.of(tenant).videos.retrieve({ v: 1, family, id, createdAt });
  }
}
