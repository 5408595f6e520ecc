import type { Field } from "../checks/field.js";
import { collectMembers, type Readers } from "../checks/read-members.js";
import { FIXED_RATIOS, RESOLUTIONS } from "./video-dimensions.js";
import {
  VIDEO_FAMILIES,
  VIDEO_TASK_STATUSES,
  type VideoTask,
  type VideoTaskSettings,
  type VideoTaskStep,
} from "./video-task.js";

/** What is to become of a task by itself, in milliseconds since the epoch on the emulator's clock. */
export interface TaskPlan {
  startsAt: number;
  /** Infinite when it never ends by itself. */
  endsAt: number;
  /** Infinite when it never expires. */
  expiresAt: number;
  /** Whether its end is a failure. */
  fails: boolean;
}

/** A task with what is to become of it. */
export interface PlannedTask {
  task: VideoTask;
  plan: TaskPlan;
}

/** What decoders take, and what a request may ask for. */
const LONGEST_SIDE = 8_192;
const LONGEST_SECONDS = 600;

const SETTINGS: Readers<VideoTaskSettings> = {
  prompt: (field) => field.string(),
  resolution: (field) => field.oneOf(RESOLUTIONS),
  ratio: (field) => field.oneOf(FIXED_RATIOS),
  width: (field) => field.integer({ min: 1, max: LONGEST_SIDE }),
  height: (field) => field.integer({ min: 1, max: LONGEST_SIDE }),
  durationSeconds: (field) => field.number({ min: 0, max: LONGEST_SECONDS }),
  seed: (field) => field.number(),
  generateAudio: (field) => field.boolean(),
  draft: (field) => field.boolean(),
  returnLastFrame: (field) => field.boolean(),
  executionExpiresAfter: readEnd,
  callbackURL: (field) => field.string(),
  firstFrame: (field) => field.string(),
  lastFrame: (field) => field.string(),
};
const PLAN: Readers<TaskPlan> = {
  startsAt: (field) => field.number(),
  endsAt: readEnd,
  expiresAt: readEnd,
  fails: (field) => field.boolean(),
};
const TASK: Readers<VideoTask & { plan: TaskPlan }> = {
  id: (field) =>
    /^[\w-]+$/.test(field.string() ?? "-") ? (field.value as string) : field.refuse("must be an id"),
  family: (field) => field.oneOf(VIDEO_FAMILIES),
  externalId: (field) => field.string(),
  key: (field) => field.nonEmptyString(),
  model: (field) => field.string(),
  series: (field) => field.oneOf(["2.0", "1.5-pro"]),
  status: (field) => field.oneOf(VIDEO_TASK_STATUSES),
  createdAt: (field) => field.number(),
  updatedAt: (field) => field.number(),
  steps: (field) => field.items()?.flatMap((item) => readStep(item) ?? []),
  startedAt: (field) => field.number(),
  runningMs: (field) => field.number({ min: 0 }),
  error: (field) => {
    const code = field.get("code").string();
    const message = field.get("message").string();
    return code === undefined || message === undefined ? undefined : { code, message };
  },
  settings: (field) => {
    const optional = ["callbackURL", "firstFrame", "lastFrame"];
    const vital = namesOf(SETTINGS).filter((name) => !optional.includes(name));
    return collectMembers(field, SETTINGS, { vital, complete: true }) as VideoTaskSettings;
  },
  origin: (field) => field.string(),
  plan: (field) => collectMembers(field, PLAN, { vital: namesOf(PLAN), complete: true }) as TaskPlan,
};
const OPTIONAL = ["externalId", "series", "startedAt", "error"];

/** A task as JSON, which knows no infinity: there it is null. */
export function saveTask({ task, plan }: PlannedTask): object {
  return { ...task, plan };
}

/** A task as it was saved. Problems are noted at the field. */
export function readSavedTask(field: Field): PlannedTask | undefined {
  const known = field.noted.length;
  const vital = namesOf(TASK).filter((name) => !OPTIONAL.includes(name));
  const { plan, ...task } = collectMembers(field, TASK, { vital, complete: true });
  return field.noted.length > known ? undefined : ({ task, plan } as PlannedTask);
}

function namesOf<T>(readers: Readers<T>): (keyof T & string)[] {
  return Object.keys(readers) as (keyof T & string)[];
}

function readEnd(field: Field): number | undefined {
  return field.value === null ? Number.POSITIVE_INFINITY : field.number();
}

function readStep(field: Field): VideoTaskStep | undefined {
  const status = field.get("status").oneOf(VIDEO_TASK_STATUSES);
  const time = field.get("time").number();
  return status === undefined || time === undefined ? undefined : { status, time };
}
