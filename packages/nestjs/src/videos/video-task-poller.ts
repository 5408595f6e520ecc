import { GatewayError, type ModelGateway, VideoTaskTimeoutError } from "@model-gateway/core";
import { Logger } from "@nestjs/common";
import type { Observable } from "rxjs";
import { videoProblem } from "./video-problem.js";
import type { VideoTaskRecord } from "./video-task-record.js";
import type { PolledOnce, VideoTaskPolling, VideoTaskStore } from "./video-task-store.js";

/** How an instance polls. Durations are milliseconds. */
export interface PollSettings {
  intervalMs: number;
  ratePerSecond: number;
  maxWatchMs: number | undefined;
}

/** Polls tasks and writes what it sees to the store; which, where and when is the store's business. */
export class VideoTaskPoller implements VideoTaskPolling {
  readonly ratePerSecond: number;
  private readonly logger = new Logger(VideoTaskPoller.name);

  constructor(
    private readonly gateway: ModelGateway,
    private readonly store: VideoTaskStore,
    private readonly settings: PollSettings,
  ) {
    this.ratePerSecond = settings.ratePerSecond;
  }

  async toEnd(
    { key, handle }: VideoTaskRecord,
    { signal, soon }: { signal: AbortSignal; soon: Observable<unknown> },
  ): Promise<void> {
    if (handle === undefined) return;
    const { intervalMs, maxWatchMs } = this.settings;
    const startedAt = performance.now();
    while (!signal.aborted) {
      const timeoutMs = maxWatchMs && Math.max(1, startedAt + maxWatchMs - performance.now());
      const watch = this.gateway.videos.watch(handle, { intervalMs, timeoutMs, signal });
      const hints = soon.subscribe(() => watch.pollSoon());
      try {
        for await (const task of watch) await this.store.update(key, task);
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (!GatewayError.isInstance(error)) throw this.refused(key, error);
        // A watch gives up after failed polls in a row, minutes apart by then. The task was paid for: go on.
        if (error.retryable || error.kind === "invalid_response") continue;
        await this.store.lose(key, videoProblem(error));
        return;
      } finally {
        hints.unsubscribe();
      }
    }
  }

  async once(
    { key, handle, task: last, status, createdAt, watchedSince = createdAt }: VideoTaskRecord,
    { signal, failedPolls: failedBefore }: { signal: AbortSignal; failedPolls: number },
  ): Promise<PolledOnce> {
    if (handle === undefined) return { failedPolls: 0 };
    const { intervalMs, maxWatchMs } = this.settings;
    const options = { intervalMs, failedPolls: failedBefore, signal, ...(last !== undefined && { last }) };
    const { task, changed, error, failedPolls, nextPollMs, pauseMs } = await this.gateway.videos.poll(
      handle,
      options,
    );
    if (signal.aborted) return { failedPolls: failedBefore, nextPollMs: 0 };
    const late =
      nextPollMs !== undefined && maxWatchMs !== undefined && Date.now() - watchedSince > maxWatchMs;
    const problem = late ? new VideoTaskTimeoutError(handle, maxWatchMs, task) : error;
    try {
      if (task !== undefined && (changed || status !== task.status)) await this.store.update(key, task);
      if (problem !== undefined && (late || nextPollMs === undefined)) {
        await this.store.lose(key, videoProblem(problem));
        return { failedPolls };
      }
    } catch (refusal) {
      throw this.refused(key, refusal);
    }
    return {
      failedPolls,
      ...(nextPollMs !== undefined && { nextPollMs }),
      ...(pauseMs !== undefined && { pauseMs }),
    };
  }

  private refused(key: string, error: unknown): unknown {
    this.logger.error(
      `The store did not take what was polled of video ${key}: ${String(error)}. The task itself goes on; it is ` +
        "polled again at the next start, at the latest.",
    );
    return error;
  }
}
