import { FINAL_VIDEO_STATUSES, videoOutcome } from "@model-gateway/core";
import type { World } from "@model-gateway/emulator/simulation";
import {
  MemoryVideoTaskStore,
  type VideoHandlerStatus,
  type VideoTaskRecord,
  type VideoTaskStore,
} from "@model-gateway/nestjs";
import { StoreLink } from "./store-link.js";

/** Who handlers are by the status that they are told of: every write brings those of its process. */
export type HandlerNames = Partial<Record<VideoHandlerStatus, readonly string[]>>;

/** What a process is to do for a record. */
export interface Turn {
  record: VideoTaskRecord;
  failedPolls: number;
}

/** What a process is told when it says that it lives. */
export interface Beat {
  turns: Turn[];
  /** Records that were written since the last time. */
  news: VideoTaskRecord[];
  /** What to ask from the next time. */
  seen: number;
  /** Until there may be more to do. */
  restMs: number;
}

/** How a turn ended. */
export interface TurnEnd {
  /** Until the next one. */
  nextMs?: number | undefined;
  failedPolls: number;
  /** The gateway asked for a pause of all polls. */
  pauseMs?: number | undefined;
}

interface Schedule {
  dueAt: number;
  lastAt: number;
  /** Somebody asked for it. */
  isWanted: boolean;
  failedPolls: number;
  holder?: { client: string; until: number };
}

/** One who is silent for longer is taken for dead, and others go on with its tasks. */
const LEASE_MS = 30_000;
/** A submission that came to nothing in this time lost its process. */
const SUBMISSION_LEASE_MS = 150_000;
const SOON_MS = 1_000;
const REST_MS = 5_000;
/** Writes that belong to a turn, and bring no other one about. */
const OF_TURN = new Set(["update", "keep", "stall", "deliver"]);

/**
 * A store of video tasks that processes share: it survives all of them, and lets one at a time go on with a task. Records
 * are those of a store in memory; who has a turn when is decided here.
 */
export class VideoTaskServer {
  readonly origin: string;
  readonly #memory = new MemoryVideoTaskStore();
  readonly #ratePerSecond: number;
  readonly #schedules = new Map<string, Schedule>();
  /** Keys in the order of their changes. */
  readonly #changed: string[] = [];
  #handlers: HandlerNames = {};
  #pollAt = 0;

  /** @param ratePerSecond polls of all tasks */
  constructor({ origin = "https://tasks.example", ratePerSecond = 1_000 } = {}) {
    this.origin = origin;
    this.#ratePerSecond = ratePerSecond;
  }

  /** Answers from now on. @returns ends it */
  async open(world: World): Promise<() => Promise<void>> {
    const changes = this.#memory.changes$.subscribe(({ key }) => this.#changed.push(key));
    await this.#memory.open({
      ratePerSecond: this.#ratePerSecond,
      toEnd: (_record, { signal }) => aborted(signal),
      once: () => Promise.reject(new Error("A store in memory polls to the end.")),
      delivering: {
        concurrency: 1,
        handlersOf: (status) => this.#handlers[status] ?? [],
        toEnd: (_record, { signal }) => aborted(signal),
        once: () => Promise.reject(new Error("A store in memory delivers to the end.")),
      },
    });
    const close = StoreLink.serve(world, this.origin, {
      write: (client: string, handlers: HandlerNames, method: Writing, ...args: never[]) =>
        this.#write(client, handlers, method, args),
      read: (method: "get" | "list", ...args: never[]) =>
        (this.#memory[method] as (...given: never[]) => unknown)(...args),
      beat: (client: string, seen: number, slots: number, held: string[]) =>
        this.#beat(client, seen, slots, held),
      release: (client: string, key: string, end: TurnEnd) => this.#release(client, key, end),
      pollSoon: (key: string) => this.#pollSoon(key),
    });
    return async () => {
      close();
      changes.unsubscribe();
      await this.#memory.stop();
    };
  }

  /** All that is written, as nobody but an operator of the store sees it. */
  records(): Promise<VideoTaskRecord[]> {
    return this.#memory.list();
  }

  async #write(client: string, handlers: HandlerNames, method: Writing, args: never[]) {
    this.#handlers = handlers;
    const [first] = args as unknown as [string | { key: string }];
    const key = typeof first === "string" ? first : first.key;
    const result = await (this.#memory[method] as (...given: never[]) => Promise<unknown>)(...args);
    const schedule = this.#scheduleOf(key);
    const isOfTurn = OF_TURN.has(method) && schedule.holder?.client === client;
    if (!isOfTurn) schedule.dueAt = Date.now();
    const record = await this.#memory.get(key);
    const isDue = record !== undefined && hasTurn(record) && nextOf(schedule) <= Date.now();
    return { result, record, isDue };
  }

  /** @param held what it knows to have the turns of: it never heard of one whose answer got lost */
  async #beat(client: string, seen: number, slots: number, held: readonly string[]): Promise<Beat> {
    const now = Date.now();
    for (const key of held) {
      const { holder } = this.#scheduleOf(key);
      if (holder?.client === client) holder.until = now + LEASE_MS;
    }
    const records = await this.#memory.list({ finished: false });
    for (const { key, status, updatedAt } of records) {
      if (status === "submitting" && updatedAt + SUBMISSION_LEASE_MS <= now)
        await this.#memory.lose(key, { kind: "other", message: "Its process is gone." });
    }
    const turns: Turn[] = [];
    const open = (await this.#memory.list({ finished: false }))
      .filter(hasTurn)
      .map((record) => ({ record, schedule: this.#scheduleOf(record.key) }));
    const due = open
      .filter(({ schedule }) => nextOf(schedule) <= now)
      .sort(({ schedule: one }, { schedule: other }) =>
        one.isWanted === other.isWanted
          ? one.dueAt - other.dueAt
          : Number(other.isWanted) - Number(one.isWanted),
      );
    for (const { record, schedule } of due) {
      if (turns.length >= slots || (!isDelivering(record) && this.#pollAt > now)) continue;
      if (!isDelivering(record)) this.#pollAt = now + 1_000 / this.#ratePerSecond;
      schedule.holder = { client, until: now + LEASE_MS };
      schedule.lastAt = now;
      schedule.isWanted = false;
      schedule.dueAt = Number.POSITIVE_INFINITY;
      turns.push({ record, failedPolls: schedule.failedPolls });
    }
    const nextAt = Math.min(...open.map(({ schedule }) => nextOf(schedule)));
    const restMs = Math.min(REST_MS, Math.max(SOON_MS, nextAt - now));
    const changed = new Set(this.#changed.slice(seen));
    const news = await Promise.all(Array.from(changed, (key) => this.#memory.get(key)));
    return { turns, news: news.filter((record) => record !== undefined), seen: this.#changed.length, restMs };
  }

  #release(client: string, key: string, { nextMs = SOON_MS, failedPolls, pauseMs }: TurnEnd): void {
    const schedule = this.#scheduleOf(key);
    if (pauseMs !== undefined) this.#pollAt = Date.now() + pauseMs;
    if (schedule.holder?.client !== client) return;
    delete schedule.holder;
    schedule.failedPolls = failedPolls;
    // What was asked for meanwhile comes first.
    schedule.dueAt = Math.min(schedule.dueAt, Date.now() + nextMs);
  }

  #pollSoon(key: string): void {
    const schedule = this.#schedules.get(key);
    if (schedule === undefined) return;
    schedule.isWanted = true;
    schedule.dueAt = Math.min(schedule.dueAt, Math.max(Date.now(), schedule.lastAt + SOON_MS));
  }

  #scheduleOf(key: string): Schedule {
    const known = this.#schedules.get(key) ?? { dueAt: 0, lastAt: 0, isWanted: false, failedPolls: 0 };
    this.#schedules.set(key, known);
    return known;
  }
}

type Writing = Exclude<
  {
    [Name in keyof VideoTaskStore]: VideoTaskStore[Name] extends (key: never, ...args: never[]) => unknown
      ? Name
      : never;
  }[keyof VideoTaskStore],
  "get" | "list" | "open" | "pollSoon"
>;

/** When it may have its turn: one that somebody has, when that one is taken for dead. */
function nextOf({ dueAt, holder }: Schedule): number {
  return holder?.until ?? dueAt;
}

function isDelivering({ deliveries = [] }: VideoTaskRecord): boolean {
  return deliveries.some(({ state }) => state === "due");
}

/** Whether a process has to do something about it from time to time. */
function hasTurn(record: VideoTaskRecord): boolean {
  const { task, status, handle, watchCancelledAt } = record;
  if (isDelivering(record)) return true;
  const isOver =
    task === undefined
      ? (FINAL_VIDEO_STATUSES as readonly string[]).includes(status)
      : videoOutcome(task) !== "pending";
  return handle !== undefined && !isOver && watchCancelledAt === undefined;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
