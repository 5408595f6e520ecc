import { KeyedStreamError } from "./keyed-stream-error.js";
import { pause } from "./pause.js";
import { heartbeatMs, type StreamSettings } from "./stream-settings.js";
import type { StreamPage, StreamStore } from "./stream-store.js";

/** Between two reads of a store that does not answer. */
const AGAIN_MS = 250;

/** One reader's view of one stream in its store. */
export class StreamReading {
  /** Whether there is still a reader. */
  open = true;
  /** Set when it is to have no more than there is. */
  leaving = false;
  /** Resolves when it has stopped. */
  readonly stopped: Promise<void>;
  private changed = false;
  private wake: (() => void) | undefined;
  private readonly unwatch: () => void;
  private resolveStopped = () => {};

  constructor(
    private readonly store: StreamStore,
    readonly key: string,
    private readonly settings: StreamSettings,
  ) {
    this.stopped = new Promise((resolve) => {
      this.resolveStopped = resolve;
    });
    this.unwatch = store.watch(key, () => this.look());
  }

  stop(): void {
    if (!this.open) return;
    this.open = false;
    this.unwatch();
    this.wake?.();
    this.resolveStopped();
  }

  /** It gets what there is now, and is told that the rest is elsewhere. */
  leave(): void {
    this.leaving = true;
    this.look();
  }

  /** @throws KeyedStreamError when the store is away for longer than a lease, or the reader is to leave */
  async read(after: number): Promise<StreamPage | undefined> {
    const until = performance.now() + this.settings.leaseMs;
    for (;;) {
      this.changed = false;
      const { leaving } = this;
      try {
        const page = await this.store.read(this.key, after, this.settings.keepMs);
        if (leaving && page?.end === undefined) throw new KeyedStreamError("closing");
        return page;
      } catch (cause) {
        if (leaving) throw new KeyedStreamError("closing", { cause });
        if (!this.open || performance.now() > until) throw new KeyedStreamError("unavailable", { cause });
        await this.pause(AGAIN_MS);
      }
    }
  }

  /** Resolves when something may have changed since the last read, and in time to read again for the owner to see. */
  async change(): Promise<void> {
    if (!this.changed && this.open) await this.pause(heartbeatMs(this.settings));
  }

  private look(): void {
    this.changed = true;
    this.wake?.();
  }

  private async pause(ms: number): Promise<void> {
    const woken = new AbortController();
    this.wake = () => woken.abort();
    await pause(ms, { signal: woken.signal });
  }
}
