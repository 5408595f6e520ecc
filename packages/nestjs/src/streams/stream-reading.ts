import { performance } from "node:perf_hooks";
import type { Subscription } from "rxjs";
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
  private changed = false;
  private wake: (() => void) | undefined;
  private readonly changes: Subscription;

  constructor(
    private readonly store: StreamStore,
    private readonly key: string,
    private readonly settings: StreamSettings,
  ) {
    this.changes = store.changes$(key).subscribe(() => {
      this.changed = true;
      this.wake?.();
    });
  }

  stop(): void {
    this.open = false;
    this.changes.unsubscribe();
    this.wake?.();
  }

  /** @throws KeyedStreamError when the store is away for longer than a lease */
  async read(after: number): Promise<StreamPage | undefined> {
    const until = performance.now() + this.settings.leaseMs;
    for (;;) {
      this.changed = false;
      try {
        return await this.store.read(this.key, after, this.settings.keepMs);
      } catch (cause) {
        if (!this.open || performance.now() > until) throw new KeyedStreamError("unavailable", { cause });
        await this.pause(AGAIN_MS);
      }
    }
  }

  /** Resolves when something may have changed since the last read, and in time to read again for the owner to see. */
  async change(): Promise<void> {
    if (!this.changed && this.open) await this.pause(heartbeatMs(this.settings));
  }

  private async pause(ms: number): Promise<void> {
    const woken = new AbortController();
    this.wake = () => woken.abort();
    await pause(ms, { signal: woken.signal });
  }
}
