import {
  GatewayError,
  type PollBackoff,
  type VideoPoll,
  type VideoTaskHandle,
  VideoTaskTimeoutError,
} from "@model-gateway/core";
import { Logger } from "@nestjs/common";
import type { Observable, Subject } from "rxjs";
import type { MetricsEvent } from "../metrics/metrics-event.js";
import { insist } from "../streams/insist.js";
import { pause } from "../streams/pause.js";
import type { ResultKeeper } from "./result-keeper.js";
import type { TenantGateways } from "./tenant-gateways.js";
import { videoProblem } from "./video-problem.js";
import type { VideoTaskKeeping, VideoTaskRecord, VideoTaskStall } from "./video-task-record.js";
import type {
  PolledOnce,
  VideoTaskDelivering,
  VideoTaskPolling,
  VideoTaskStore,
} from "./video-task-store.js";

/** How an instance polls. Durations are milliseconds. */
export interface PollSettings {
  intervalMs: number;
  ratePerSecond: number;
  maxWatchMs: number | undefined;
  backoff: Required<PollBackoff>;
  /** Ids of the tasks that are polled here right now: the module itself tells when these cannot be read. */
  inHand: Set<string>;
  /** Is told which tasks cannot be read, and when they can be again. */
  events: Subject<MetricsEvent>;
  /** Keeps the files of tasks that succeed, if that is wanted. */
  keeper: ResultKeeper | undefined;
}

/** Whose a task is. */
type Owned = Pick<VideoTaskRecord, "key" | "tenant">;

/** What is known of a task between its polls. */
interface InHand extends Owned {
  handle: VideoTaskHandle;
  stalled: VideoTaskStall | undefined;
}

/** A poll of core, or one that failed with what is no error of core. */
type AnyPoll = Omit<VideoPoll, "error"> & { error?: unknown };

/** A 429 is the gateway's pace, and no trouble of a task, unless the task hears nothing else. */
const RATE_LIMITED_POLLS = 3;
/** A task whose files wait for a free place here is looked at again after so long, here or elsewhere. */
const NO_PLACE_MS = 1_000;

/** Polls tasks and writes what it sees to the store; which, where and when is the store's business. */
export class VideoTaskPoller implements VideoTaskPolling {
  readonly ratePerSecond: number;
  private readonly logger = new Logger(VideoTaskPoller.name);
  /** The last refusal of the store: the same one over and over, of thousands of tasks, is said once. */
  private lastRefusal = "";

  constructor(
    private readonly gateways: TenantGateways,
    private readonly store: VideoTaskStore,
    private readonly settings: PollSettings,
    readonly delivering: VideoTaskDelivering,
  ) {
    this.ratePerSecond = settings.ratePerSecond;
  }

  async toEnd(
    { key, tenant, handle, stalled, keeping }: VideoTaskRecord,
    { signal, soon }: { signal: AbortSignal; soon: Observable<unknown> },
  ): Promise<void> {
    if (handle === undefined || signal.aborted) return;
    const { keeper } = this.settings;
    if (keeping !== undefined && keeper !== undefined)
      return this.keep(keeper, { key, tenant }, keeping, signal);
    const { maxWatchMs, inHand, backoff } = this.settings;
    const task: InHand = { key, tenant, handle, stalled };
    const endsAt = maxWatchMs && performance.now() + maxWatchMs;
    inHand.add(handle.id);
    try {
      await insist(() => this.follow(task, { signal, soon, endsAt }), {
        againMs: backoff.refusedMs,
        signal,
        failed: (error) => void this.see(task, failedPoll(error, task, backoff.refusedMs)),
      });
    } finally {
      inHand.delete(handle.id);
    }
  }

  async once(
    record: VideoTaskRecord,
    { signal, failedPolls: failedBefore }: { signal: AbortSignal; failedPolls: number },
  ): Promise<PolledOnce> {
    const { key, tenant, handle, task: last, status, stalled, keeping } = record;
    const { createdAt, watchedSince = createdAt } = record;
    if (handle === undefined) return { failedPolls: 0 };
    const { keeper } = this.settings;
    if (keeping !== undefined && keeper !== undefined) return this.keepOnce(keeper, record, keeping, signal);
    const task: InHand = { key, tenant, handle, stalled };
    const poll = await this.poll(task, failedBefore, signal, last);
    if (signal.aborted) return { failedPolls: failedBefore, nextPollMs: 0 };
    const { maxWatchMs } = this.settings;
    const { failedPolls, nextPollMs, pauseMs } = poll;
    if (keeper !== undefined && poll.task !== undefined && keeper.wants(poll.task)) {
      this.resumed(task);
      return this.keepOnce(keeper, record, keeper.begin(poll.task), signal);
    }
    try {
      if (poll.task !== undefined && (poll.changed || stalled !== undefined || status !== poll.task.status))
        await this.store.update(key, poll.task);
      if (nextPollMs !== undefined && maxWatchMs !== undefined && Date.now() - watchedSince > maxWatchMs) {
        const late = new VideoTaskTimeoutError(handle, maxWatchMs, poll.task);
        await this.store.cancelWatch(key, videoProblem(late));
        return { failedPolls };
      }
      await this.tell(task, poll);
    } catch (error) {
      this.refused(key, error);
      throw error;
    }
    const { outage } = this.gateways.own.videos.pollPace;
    return {
      failedPolls,
      ...(nextPollMs !== undefined && { nextPollMs }),
      ...(pauseMs !== undefined && { pauseMs }),
      ...(outage !== undefined && { probeMs: outage.probeMs }),
    };
  }

  /** Polls through core's watch, until the task is over, its time is, or the signal aborts. */
  private async follow(
    task: InHand,
    { signal, soon, endsAt }: { signal: AbortSignal; soon: Observable<unknown>; endsAt: number | undefined },
  ): Promise<void> {
    const { key, tenant, handle } = task;
    const { intervalMs, backoff } = this.settings;
    const { videos } = this.gateways.of(tenant);
    const timeoutMs = endsAt && Math.max(1, Math.ceil(endsAt - performance.now()));
    let told = Promise.resolve();
    const onPoll = (poll: VideoPoll) => {
      told = told.then(() => this.see(task, poll));
    };
    const watch = videos.watch(handle, { intervalMs, backoff, timeoutMs, signal, onPoll });
    const hints = soon.subscribe(() => watch.pollSoon());
    try {
      for await (const seen of watch) {
        const { keeper } = this.settings;
        if (keeper?.wants(seen)) await this.keep(keeper, task, keeper.begin(seen), signal);
        else await this.write(key, signal, () => this.store.update(key, seen));
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!VideoTaskTimeoutError.isInstance(error)) throw error;
      await this.write(key, signal, () => this.store.cancelWatch(key, videoProblem(error)));
    } finally {
      hints.unsubscribe();
      await told;
    }
  }

  /** Keeps the files of a task that succeeded; only then it succeeds in its record. */
  private async keep(
    keeper: ResultKeeper,
    { key, tenant }: Owned,
    begun: VideoTaskKeeping,
    signal: AbortSignal,
  ): Promise<void> {
    const gateway = this.gateways.of(tenant);
    let keeping = begun;
    while (!signal.aborted) {
      const now = keeping;
      await this.write(key, signal, () => this.store.keep(key, now));
      const outcome = await keeper.attempt({ key, gateway }, keeping, signal);
      if (signal.aborted) return;
      if ("kept" in outcome) {
        await this.write(key, signal, () => this.store.update(key, outcome.task, outcome.kept));
        return;
      }
      keeping = outcome.keeping;
      await this.write(key, signal, () => this.store.keep(key, outcome.keeping));
      await pause(outcome.againMs, { signal });
    }
  }

  /** One attempt to keep the files of a task that succeeded. */
  private async keepOnce(
    keeper: ResultKeeper,
    { key, tenant }: Owned,
    keeping: VideoTaskKeeping,
    signal: AbortSignal,
  ): Promise<PolledOnce> {
    const gateway = this.gateways.of(tenant);
    try {
      await this.store.keep(key, keeping);
      if (!keeper.hasRoom()) return { failedPolls: 0, nextPollMs: NO_PLACE_MS };
      const outcome = await keeper.attempt({ key, gateway }, keeping, signal);
      if (signal.aborted) return { failedPolls: 0, nextPollMs: 0 };
      if ("kept" in outcome) {
        await this.store.update(key, outcome.task, outcome.kept);
        return { failedPolls: 0 };
      }
      await this.store.keep(key, outcome.keeping);
      return { failedPolls: 0, nextPollMs: outcome.againMs };
    } catch (error) {
      this.refused(key, error);
      throw error;
    }
  }

  /** What is no error of the gateway is no verdict on the task either. */
  private async poll(
    { handle, tenant }: InHand,
    failedPolls: number,
    signal: AbortSignal,
    last: VideoTaskRecord["task"],
  ): Promise<AnyPoll> {
    const { intervalMs, backoff, inHand } = this.settings;
    const options = { intervalMs, backoff, failedPolls, signal, ...(last !== undefined && { last }) };
    inHand.add(handle.id);
    try {
      return await this.gateways.of(tenant).videos.poll(handle, options);
    } catch (error) {
      const again = { failedPolls: failedPolls + 1, nextPollMs: backoff.refusedMs };
      return { changed: false, error, ...again };
    } finally {
      inHand.delete(handle.id);
    }
  }

  /** After a poll of core's watch, which itself hands on what changed. Never rejects: the next poll tries again. */
  private async see(task: InHand, poll: AnyPoll): Promise<void> {
    const { key } = task;
    try {
      await this.tell(task, poll);
      if (poll.task === undefined || poll.changed) return;
      const record = await this.store.get(key);
      if (record?.stalled !== undefined) await this.store.update(key, poll.task);
    } catch (error) {
      this.refused(key, error);
    }
  }

  /** Tells, and writes down, that a task cannot be read, and tells that it can be again. */
  private async tell(task: InHand, { task: read, error, failedPolls, nextPollMs }: AnyPoll): Promise<void> {
    if (read !== undefined) this.resumed(task);
    const paced = isRateLimit(error) && failedPolls < RATE_LIMITED_POLLS && task.stalled === undefined;
    if (error === undefined || failedPolls === 0 || nextPollMs === undefined || paced) return;
    const { key, handle, stalled: before } = task;
    const { events } = this.settings;
    const now = Date.now();
    const problem = videoProblem(error);
    const since = before?.since ?? now;
    task.stalled = { since, failedPolls, problem, nextPollAt: Math.round(now + nextPollMs) };
    if (before?.problem.kind !== problem.kind)
      events.next({ type: "video_stalled", key, task: handle.id, kind: problem.kind, failedPolls, since });
    await this.store.stall(key, task.stalled);
  }

  private resumed(task: InHand): void {
    const { key, handle, stalled } = task;
    if (stalled === undefined) return;
    task.stalled = undefined;
    const { since, failedPolls } = stalled;
    const ms = Date.now() - since;
    this.settings.events.next({ type: "video_resumed", key, task: handle.id, failedPolls, ms });
  }

  private write(key: string, signal: AbortSignal, write: () => Promise<void>): Promise<void> {
    const { intervalMs } = this.settings;
    return insist(write, { againMs: intervalMs, signal, failed: (error) => this.refused(key, error) });
  }

  private refused(key: string, error: unknown): void {
    const reason = String(error);
    if (reason === this.lastRefusal) return;
    this.lastRefusal = reason;
    this.logger.error(
      `The store did not take what was polled of video ${key}: ${reason}. The task itself goes on, and the write is ` +
        "repeated.",
    );
  }
}

function failedPoll(error: unknown, { stalled }: InHand, nextPollMs: number): AnyPoll {
  return { changed: false, error, failedPolls: (stalled?.failedPolls ?? 0) + 1, nextPollMs };
}

function isRateLimit(error: unknown): boolean {
  return GatewayError.isInstance(error) && error.kind === "rate_limit";
}
