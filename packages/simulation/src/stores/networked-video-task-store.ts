import { randomUUID } from "node:crypto";
import { FINAL_VIDEO_STATUSES, type VideoTask } from "@model-gateway/core";
import type { World } from "@model-gateway/emulator/simulation";
import {
  type KeptResult,
  type VideoDelivery,
  type VideoTaskIntent,
  type VideoTaskKeeping,
  type VideoTaskLimits,
  type VideoTaskPolling,
  type VideoTaskProblem,
  type VideoTaskQuery,
  type VideoTaskRecord,
  type VideoTaskStall,
  VideoTaskStore,
  type VideoTaskWait,
} from "@model-gateway/nestjs";
import { Subject } from "rxjs";
import { StoreLink } from "./store-link.js";
import type { Beat, HandlerNames, Turn, VideoTaskServer } from "./video-task-server.js";

/** After a beat that was not answered. */
const BEAT_MS = 1_000;
/** Turns of one process at once. */
const MAX_TURNS = 4;

interface Written<T> {
  result: T;
  record?: VideoTaskRecord;
  /** Whether somebody is to do something about it now. */
  isDue: boolean;
}

/** The store of one of several processes, whose tasks stand in a `VideoTaskServer`. */
export class NetworkedVideoTaskStore extends VideoTaskStore {
  readonly durable = true;
  override readonly shared = true;
  readonly changes$ = new Subject<VideoTaskRecord>();
  readonly #link: StoreLink;
  readonly #client = randomUUID();
  readonly #versions = new Map<string, number>();
  readonly #turns = new Map<string, Promise<void>>();
  #polling: VideoTaskPolling | undefined;
  #stopping = new AbortController();
  #closing = new AbortController();
  #beating = Promise.resolve();
  #seen = 0;
  #wake = () => {};

  constructor(world: World, server: VideoTaskServer) {
    super();
    this.#link = new StoreLink(world, server.origin);
  }

  async open(polling: VideoTaskPolling): Promise<void> {
    this.#polling = polling;
    this.#stopping = new AbortController();
    this.#closing = new AbortController();
    this.#beating = this.#beat(this.#closing.signal);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#turns.values());
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#wake();
    await this.#beating;
    // Turns that came with the last answer are given back.
    await Promise.all(this.#turns.values());
  }

  begin(intent: VideoTaskIntent): Promise<boolean> {
    return this.#write("begin", intent);
  }

  accept(key: string, task: VideoTask): Promise<void> {
    return this.#write("accept", key, task);
  }

  take(key: string, limits: VideoTaskLimits): Promise<VideoTaskRecord | undefined> {
    return this.#write("take", key, limits);
  }

  putBack(key: string, waiting: VideoTaskWait): Promise<void> {
    return this.#write("putBack", key, waiting);
  }

  refuse(key: string, problem: VideoTaskProblem): Promise<void> {
    return this.#write("refuse", key, problem);
  }

  cancel(key: string): Promise<boolean> {
    return this.#write("cancel", key);
  }

  reject(key: string, problem: VideoTaskProblem): Promise<void> {
    return this.#write("reject", key, problem);
  }

  lose(key: string, problem: VideoTaskProblem): Promise<void> {
    return this.#write("lose", key, problem);
  }

  update(key: string, task: VideoTask, kept?: KeptResult): Promise<void> {
    return this.#write("update", key, task, kept);
  }

  keep(key: string, keeping: VideoTaskKeeping): Promise<void> {
    return this.#write("keep", key, keeping);
  }

  stall(key: string, stalled: VideoTaskStall): Promise<void> {
    return this.#write("stall", key, stalled);
  }

  deliver(key: string, delivery: VideoDelivery): Promise<void> {
    return this.#write("deliver", key, delivery);
  }

  redeliver(key: string): Promise<void> {
    return this.#write("redeliver", key);
  }

  cancelWatch(key: string, problem?: VideoTaskProblem): Promise<void> {
    return this.#write("cancelWatch", key, problem);
  }

  async pollSoon(key: string): Promise<void> {
    await this.#link.call("pollSoon", key);
    this.#wake();
  }

  get(key: string): Promise<VideoTaskRecord | undefined> {
    return this.#link.call("read", "get", key);
  }

  list(query?: VideoTaskQuery): Promise<VideoTaskRecord[]> {
    return this.#link.call("read", "list", query);
  }

  async #write<T>(method: string, ...args: unknown[]): Promise<T> {
    const given = [this.#client, this.#handlers(), method, ...args];
    const { result, record, isDue } = await this.#link.call<Written<T>>("write", ...given);
    if (record !== undefined) this.#tell(record);
    if (isDue) this.#wake();
    return result;
  }

  #handlers(): HandlerNames {
    const { delivering } = this.#polling ?? {};
    if (delivering === undefined) return {};
    const statuses = [...FINAL_VIDEO_STATUSES, "unknown"] as const;
    return Object.fromEntries(statuses.map((status) => [status, delivering.handlersOf(status)]));
  }

  #tell(record: VideoTaskRecord): void {
    const { key, version } = record;
    if ((this.#versions.get(key) ?? 0) >= version) return;
    this.#versions.set(key, version);
    this.changes$.next(record);
  }

  /** Says that it lives, hears what others wrote, and takes what is due. */
  async #beat(closing: AbortSignal): Promise<void> {
    while (!closing.aborted) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      let rest = BEAT_MS;
      const slots = this.#stopping.signal.aborted ? 0 : MAX_TURNS - this.#turns.size;
      try {
        const held = [...this.#turns.keys()];
        const { turns, news, seen, restMs } = await this.#link.call<Beat>(
          ...(["beat", this.#client, this.#seen, slots, held] as const),
        );
        this.#seen = seen;
        rest = restMs;
        for (const record of news) this.#tell(record);
        for (const turn of turns) if (!this.#turns.has(turn.record.key)) this.#begin(turn);
      } catch {
        // The next beat may arrive.
      }
      await this.#rest(woken, rest);
    }
  }

  async #rest(woken: Promise<void>, ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const rested = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([woken, rested]);
    clearTimeout(timer);
  }

  #begin(turn: Turn): void {
    const { key } = turn.record;
    const running = this.#run(turn)
      // What it could not give back, others take after a while.
      .catch(() => undefined)
      .finally(() => {
        const hadNoPlace = this.#turns.size >= MAX_TURNS;
        this.#turns.delete(key);
        if (hadNoPlace) this.#wake();
      });
    this.#turns.set(key, running);
  }

  async #run({ record, failedPolls }: Turn): Promise<void> {
    const { signal } = this.#stopping;
    const isDelivering = record.deliveries?.some(({ state }) => state === "due") ?? false;
    const polling = this.#polling as VideoTaskPolling;
    const turn = async () => {
      if (signal.aborted) return { nextMs: 0, failedPolls };
      if (isDelivering) return { nextMs: await polling.delivering?.once(record, { signal }), failedPolls };
      const { nextPollMs: nextMs, probeMs, ...polled } = await polling.once(record, { signal, failedPolls });
      // Nobody gets an answer: the one who asks next may be anybody.
      return { ...polled, nextMs: probeMs ?? nextMs };
    };
    const end = await turn().catch(() => ({ failedPolls }));
    await this.#link.call("release", this.#client, record.key, end);
  }
}
