import { AsyncLocalStorage } from "node:async_hooks";
import { ResumableStreams, type StreamEvent, type StreamSource } from "@model-gateway/core/resumable";
import type { World } from "@model-gateway/emulator/simulation";
import { NetworkedStreamStore } from "./stores/networked-stream-store.js";
import type { StreamServer } from "./stores/stream-server.js";

/** Short ones, so that worlds in which owners die are. In milliseconds. */
export const STREAM_SETTINGS = { graceMs: 20_000, keepMs: 600_000, leaseMs: 10_000, maxStreamBytes: 2 ** 20 };

/** What somebody asks of a replica. */
export interface Asked {
  key: string;
  from?: string | undefined;
  source?: StreamSource;
}

/** The line to a replica broke, or there was none. */
export class LineBrokenError extends Error {}

/** A process that keeps streams with a key, and those at the other end of its lines. */
export class StreamReplica {
  readonly #streams: ResumableStreams;
  readonly #within: ReturnType<typeof AsyncLocalStorage.snapshot>;
  readonly #died: Promise<never>;
  #forget = () => {};

  /** Made in the process whose it is. @param signal aborts when it dies */
  constructor(world: World, server: StreamServer, signal: AbortSignal) {
    const store = new NetworkedStreamStore(world, server);
    this.#streams = new ResumableStreams({
      store,
      settings: STREAM_SETTINGS,
      warn: (message) => console.warn(message),
    });
    this.#within = AsyncLocalStorage.snapshot();
    this.#died = new Promise((_, reject) => {
      const onAbort = () => reject(new LineBrokenError("The replica died."));
      signal.addEventListener("abort", onAbort, { once: true });
      this.#forget = () => signal.removeEventListener("abort", onAbort);
    });
    this.#died.catch(() => undefined);
  }

  /**
   * Reads a stream as somebody does who is elsewhere.
   *
   * @param take is given each event; who returns false leaves
   * @returns whether the reader has everything
   * @throws LineBrokenError when the process dies meanwhile; KeyedStreamError as the process does
   */
  read({ key, from, source }: Asked, take: (event: StreamEvent) => boolean): Promise<boolean> {
    const read = async () => {
      const left = new AbortController();
      const { signal } = left;
      const { isOver, events } = await this.#streams.open({ key, from, signal, ...(source && { source }) });
      try {
        if (isOver) return true;
        for (;;) {
          const { done, value } = await events.next();
          if (done) return value !== undefined;
          if (!take(value)) return false;
        }
      } finally {
        left.abort();
        await events.return(undefined);
      }
    };
    return this.#asked(read);
  }

  /** @returns whether it ran */
  stop(key: string): Promise<boolean> {
    return this.#asked(() => this.#streams.stop(key));
  }

  async close(): Promise<void> {
    await this.#streams.close();
    this.#forget();
  }

  /** Its own code runs as the process, whoever asked. */
  #asked<T>(work: () => Promise<T>): Promise<T> {
    return Promise.race([this.#within(work), this.#died]);
  }
}
