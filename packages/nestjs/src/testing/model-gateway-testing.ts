import { requireVideo } from "../videos/require-video.js";
import { isSettled, type VideoTaskRecord } from "../videos/video-task-record.js";
import type { VideosService } from "../videos/videos.service.js";

/** A clock that moves when it is told to, as the emulator has one. */
export interface TestClock {
  /** Moves forward by milliseconds; resolves when everything that became due has happened. */
  advance(ms: number): Promise<void>;
}

/** Options of `settle`. Milliseconds of virtual time. */
export interface SettleOptions {
  /** How far the clock is moved between two looks. Default 1000. */
  stepMs?: number;
  /** Gives up after this. Default 3600000, an hour. */
  maxMs?: number;
}

/** Moves time for video tasks in tests: nothing here waits for a real clock. Get it with `app.get()`. */
export class ModelGatewayTesting {
  constructor(
    private readonly videos: VideosService,
    private readonly clock: TestClock | undefined,
  ) {}

  /**
   * Moves the gateway's clock, and looks at every open video task once: afterwards records, watches and
   * `orphans$` have seen what there is to see. With a stub `fetch` there is no clock, and it only looks.
   *
   * @throws core's errors when a look fails
   */
  async advance(ms: number): Promise<void> {
    await this.clock?.advance(ms);
    const open = (await this.videos.list()).filter(
      (record) => record.handle !== undefined && !isSettled(record),
    );
    for (const { key } of open) await this.videos.reconcile(key);
  }

  /**
   * Moves time until nothing more is to come of a submission.
   *
   * @throws Error when there is no such submission, or when it is not over in time
   */
  async settle(
    key: string,
    { stepMs = 1_000, maxMs = 3_600_000 }: SettleOptions = {},
  ): Promise<VideoTaskRecord> {
    for (let elapsedMs = 0; ; elapsedMs += stepMs) {
      const record = requireVideo(key, await this.videos.get(key));
      if (isSettled(record)) return record;
      if (elapsedMs >= maxMs)
        throw new Error(`Video ${key} is still ${record.status} after ${elapsedMs} ms.`);
      await this.advance(stepMs);
    }
  }
}
