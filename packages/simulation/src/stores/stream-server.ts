import { MemoryStreamStore, type StreamEnd, type StreamPage } from "@model-gateway/core/resumable";
import type { World } from "@model-gateway/emulator/simulation";
import { StoreLink } from "./store-link.js";

/** Keys whose streams changed, and what to ask from the next time. */
export interface StreamNews {
  changed: { key: string; ended: boolean }[];
  seen: number;
}

/**
 * A store of streams that processes share: it survives all of them. Streams are those of a store in memory; whose owner is
 * dead is decided here.
 */
export class StreamServer {
  readonly origin = "https://streams.example";
  readonly #memory = new MemoryStreamStore();
  readonly #leases = new Map<string, { run: string; until: number }>();
  readonly #changed: StreamNews["changed"] = [];
  readonly #watched = new Set<string>();

  /** Answers from now on. @returns ends it, and forgets all streams */
  async open(world: World): Promise<() => Promise<void>> {
    const memory = this.#memory;
    await memory.open();
    const live =
      <Args extends unknown[], Result>(method: (key: string, ...args: Args) => Promise<Result>) =>
      async (key: string, ...args: Args): Promise<Result> => {
        this.#watch(key);
        await this.#expire(key);
        return method(key, ...args);
      };
    const close = StoreLink.serve(world, this.origin, {
      begin: live(async (key, run: string, leaseMs: number, replaces?: string) => {
        const isBegun = await memory.begin(key, run, leaseMs, replaces);
        if (isBegun && this.#leases.get(key)?.run !== run) this.#lease(key, run, leaseMs);
        return isBegun;
      }),
      append: live((key, run: string, number: number, event: string) =>
        memory.append(key, run, number, event),
      ),
      renew: live(async (key, run: string, leaseMs: number) => {
        const lease = await memory.renew(key, run);
        if (lease.held) this.#lease(key, run, leaseMs);
        return lease;
      }),
      finish: live((key, run: string | undefined, end: StreamEnd, keepMs: number) =>
        memory.finish(key, run, end, keepMs),
      ),
      read: async (key: string, after: number, keepMs: number) => {
        await this.#expire(key, keepMs);
        return memory.read(key, after);
      },
      news: (seen: number): StreamNews => ({
        changed: this.#changed.slice(seen),
        seen: this.#changed.length,
      }),
    });
    return async () => {
      close();
      await memory.close();
    };
  }

  /** What is kept of a stream, as nobody but an operator of the store sees it. */
  look(key: string): Promise<StreamPage | undefined> {
    return this.#memory.read(key, 0);
  }

  #lease(key: string, run: string, leaseMs: number): void {
    this.#leases.set(key, { run, until: Date.now() + leaseMs });
  }

  /** Ends a stream whose owner was silent for too long. */
  async #expire(key: string, keepMs = 0): Promise<void> {
    const lease = this.#leases.get(key);
    if (lease === undefined || lease.until > Date.now()) return;
    this.#leases.delete(key);
    await this.#memory.finish(key, lease.run, { outcome: "cut" }, keepMs || KEPT_MS);
  }

  #watch(key: string): void {
    if (this.#watched.has(key)) return;
    this.#watched.add(key);
    this.#memory.watch(key, ({ ended }) => this.#changed.push({ key, ended }));
  }
}

/** Where nobody says how long. */
const KEPT_MS = 300_000;
