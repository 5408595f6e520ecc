import { randomInt, randomUUID } from "node:crypto";
import type { Field } from "../checks/field.js";
import type { ChangeLog, PartChanges } from "../persistence/change-log.js";
import type { KeptEntry } from "../persistence/kept-entry.js";
import type { KeptStore } from "../persistence/kept-store.js";
import { loadPart } from "../persistence/load-part.js";
import { Refusal } from "../state/refusal.js";
import type { VirtualClock } from "../state/virtual-clock.js";
import { type PlannedTask, readSavedTask, saveTask } from "./saved-task.js";
import {
  isTerminal,
  type VideoFamily,
  type VideoTask,
  type VideoTaskError,
  type VideoTaskSettings,
  type VideoTaskStatus,
  type VideoTaskStep,
} from "./video-task.js";

/** How long a task takes on the emulator's clock, in milliseconds. */
export interface VideoTimings {
  /** From creation until it runs. Default 500. */
  queuedMs: number;
  /** From running until it has succeeded or failed. Default 2500. */
  runningMs: number;
}

/** What the endpoint hands over to start a task. */
export interface NewVideoTask
  extends Pick<VideoTask, "family" | "externalId" | "key" | "model" | "series" | "origin"> {
  settings: VideoTaskSettings;
  /** `[[fail]]`: ends as failed. */
  fails: boolean;
  /** `[[stuck]]`: never ends by itself. */
  stuck: boolean;
}

/** Every given member must hold. */
export interface VideoFilter extends Partial<Pick<VideoTask, "key" | "model" | "family" | "status">> {}

const FAILED_ON_REQUEST: VideoTaskError = {
  code: "video_generation_failed",
  message: "The video could not be generated: the prompt asked for a failure with [[fail]].",
};

const PART = "tasks";

/**
 * The state machine of the video tasks: queued → running → succeeded, failed or expired; or queued → cancelled.
 *
 * A task expires only when its own time in the queue and running exceeds its time-out; a jump of the clock
 * passes through all its states at their own times.
 */
export class TaskStore implements KeptStore {
  private readonly tasks = new Map<string, PlannedTask>();
  private readonly clock: VirtualClock;
  private readonly timings: VideoTimings;
  private readonly onChange: (task: VideoTask) => void | Promise<void>;
  private readonly changes: PartChanges | undefined;

  /** @param onChange awaited on every change of status, so that moving the clock waits for its callbacks */
  constructor(
    clock: VirtualClock,
    timings: VideoTimings,
    onChange: (task: VideoTask) => void | Promise<void>,
    changes?: ChangeLog,
  ) {
    this.clock = clock;
    this.timings = timings;
    this.onChange = onChange;
    this.changes = changes?.of(PART);
  }

  create({ fails, stuck, ...rest }: NewVideoTask): VideoTask {
    const now = this.clock.now();
    const task: VideoTask = {
      ...rest,
      id: newTaskId(rest.family),
      status: "queued",
      createdAt: now,
      updatedAt: now,
      steps: [{ status: "queued", time: now }],
      runningMs: this.timings.runningMs,
    };
    const startsAt = now + this.timings.queuedMs;
    const endsAt = stuck ? Number.POSITIVE_INFINITY : startsAt + this.timings.runningMs;
    const expiresAt = now + task.settings.executionExpiresAfter * 1_000;
    this.put({ task, plan: { startsAt, endsAt, expiresAt, fails } });
    return task;
  }

  get(id: string): VideoTask | undefined {
    return this.tasks.get(id)?.task;
  }

  /** The task of a key, of one family or of any, by its id, or by the id that its caller gave it. */
  find(family: VideoFamily | undefined, key: string, id: string): VideoTask | undefined {
    const task = this.get(id) ?? this.list().find((other) => other.externalId === id && other.key === key);
    return task?.key === key && (family === undefined || task.family === family) ? task : undefined;
  }

  list({ key, model, family, status }: VideoFilter = {}): VideoTask[] {
    return [...this.tasks.values()].flatMap(({ task }) =>
      (key === undefined || task.key === key) &&
      (model === undefined || task.model === model) &&
      (family === undefined || task.family === family) &&
      (status === undefined || task.status === status)
        ? [task]
        : [],
    );
  }

  /** @throws TypeError when there is no such task */
  timeline(id: string): VideoTaskStep[] {
    const task = this.get(id);
    if (!task) throw Refusal.missing(`There is no video task "${id}".`);
    return task.steps.map((step) => ({ ...step }));
  }

  /** Ends a task as succeeded now. @throws TypeError when there is no such task or it has ended */
  async succeed(id: string): Promise<void> {
    await this.change(this.requireOpen(id), "succeeded");
  }

  /** Ends a task as failed now. @throws TypeError when there is no such task or it has ended */
  async fail(id: string, message = "The video could not be generated."): Promise<void> {
    const task = this.requireOpen(id);
    task.error = { code: "video_generation_failed", message };
    await this.change(task, "failed");
  }

  /** Takes a task out of the queue. @throws TypeError when there is no such task or it waits no more */
  async cancel(id: string): Promise<void> {
    const task = this.requireOpen(id);
    if (task.status !== "queued") throw new Refusal(`The video task "${id}" is ${task.status}.`);
    await this.change(task, "cancelled");
  }

  /** Forgets a task that has ended. @throws TypeError when there is no such task or it has not ended */
  remove(id: string): void {
    const task = this.get(id);
    if (!task) throw Refusal.missing(`There is no video task "${id}".`);
    if (!isTerminal(task.status)) throw new Refusal(`The video task "${id}" is still ${task.status}.`);
    this.tasks.delete(id);
    this.changes?.delete(id);
  }

  *save(): Iterable<KeptEntry> {
    for (const [key, planned] of this.tasks) yield { part: PART, key, value: saveTask(planned) };
  }

  load(state: Field): void {
    loadPart(state, PART, readSavedTask, (planned) => this.put(planned));
  }

  /** Keeps a task and has happen to it what is still to come. */
  private put(planned: PlannedTask): void {
    const { task, plan } = planned;
    const { startsAt, endsAt, expiresAt } = plan;
    this.tasks.set(task.id, planned);
    this.changes?.set(task.id, () => saveTask(planned));
    if (task.status === "queued") {
      this.at(Math.min(startsAt, expiresAt), task, () => (startsAt < expiresAt ? "running" : "expired"));
    }
    if (isTerminal(task.status)) return;
    this.at(Math.min(endsAt, expiresAt), task, () => {
      if (endsAt > expiresAt) return "expired";
      if (plan.fails) task.error = FAILED_ON_REQUEST;
      return plan.fails ? "failed" : "succeeded";
    });
  }

  private at(time: number, task: VideoTask, next: () => VideoTaskStatus): void {
    if (time === Number.POSITIVE_INFINITY) return;
    this.clock.schedule(time, () => (isTerminal(task.status) ? undefined : this.change(task, next())));
  }

  private async change(task: VideoTask, status: VideoTaskStatus): Promise<void> {
    task.status = status;
    task.updatedAt = this.clock.now();
    task.steps.push({ status, time: task.updatedAt });
    if (status === "running") task.startedAt = task.updatedAt;
    if (status === "expired") {
      task.error = {
        code: "task_expired",
        message: `The task did not end within execution_expires_after (${task.settings.executionExpiresAfter} s).`,
      };
    }
    const planned = this.tasks.get(task.id);
    if (planned) this.changes?.set(task.id, () => saveTask(planned));
    await this.onChange(task);
  }

  private requireOpen(id: string): VideoTask {
    const task = this.get(id);
    if (!task) throw Refusal.missing(`There is no video task "${id}".`);
    if (isTerminal(task.status)) throw new Refusal(`The video task "${id}" has ended as ${task.status}.`);
    return task;
  }
}

/** Ids of the family `content` are words, those of the others long numbers. */
function newTaskId(family: VideoFamily): string {
  if (family === "content") return `task_${randomUUID()}`;
  const digits = () => String(randomInt(1_000_000_000)).padStart(9, "0");
  return `8${digits().slice(1)}${digits()}`;
}
