import type { Subject } from "rxjs";
import { MemoryVideoTaskStore, type VideoTaskPolling } from "../src/index.js";

interface PollOnceOptions {
  signal?: AbortSignal;
  failedPolls?: number;
  /** How long ago the submission was. */
  ageMs?: number;
  /** Since when it is polled. Default: since the submission. */
  watchedMs?: number;
}

/** Polls when the test says so, as a store that schedules the polls of several processes does. */
export class SchedulingStore extends MemoryVideoTaskStore {
  private handedOver: VideoTaskPolling | undefined;

  override async open(polling: VideoTaskPolling): Promise<void> {
    this.handedOver = polling;
    const once: VideoTaskPolling["once"] = (record, options) => polling.once(record, options);
    await super.open({ ratePerSecond: polling.ratePerSecond, toEnd: async () => {}, once });
  }

  async pollToEnd(key: string, soon: Subject<void>) {
    const record = await this.get(key);
    if (this.handedOver === undefined || record === undefined) throw new Error("There is nothing to poll.");
    await this.handedOver.toEnd(record, { signal: new AbortController().signal, soon });
  }

  async pollOnce(key: string, { signal, failedPolls = 0, ageMs = 0, watchedMs }: PollOnceOptions = {}) {
    const record = await this.get(key);
    if (this.handedOver === undefined || record === undefined) throw new Error("There is nothing to poll.");
    const { createdAt, watchedSince = createdAt } = record;
    const aged = {
      ...record,
      createdAt: createdAt - ageMs,
      watchedSince: watchedSince - (watchedMs ?? ageMs),
    };
    return this.handedOver.once(aged, { signal: signal ?? new AbortController().signal, failedPolls });
  }
}
