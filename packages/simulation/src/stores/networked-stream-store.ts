import {
  type StreamChange,
  type StreamEnd,
  type StreamLease,
  type StreamPage,
  StreamStore,
} from "@model-gateway/core/resumable";
import type { World } from "@model-gateway/emulator/simulation";
import { StoreLink } from "./store-link.js";
import type { StreamNews, StreamServer } from "./stream-server.js";

type Listener = (change: StreamChange) => void;

/** Between two looks for what others wrote. */
const LOOK_MS = 800;

/** The store of one of several processes, whose streams stand in a `StreamServer`. */
export class NetworkedStreamStore extends StreamStore {
  readonly shared = true;
  readonly #link: StoreLink;
  readonly #listeners = new Map<string, Set<Listener>>();
  #looking = Promise.resolve();
  #seen = 0;
  #wake = () => {};

  constructor(world: World, server: StreamServer) {
    super();
    this.#link = new StoreLink(world, server.origin);
  }

  async open(): Promise<void> {}

  async close(): Promise<void> {
    this.#listeners.clear();
    this.#wake();
    this.#link.close();
    await this.#looking;
  }

  begin(key: string, run: string, leaseMs: number, replaces?: string): Promise<boolean> {
    return this.#link.call("begin", key, run, leaseMs, replaces);
  }

  append(key: string, run: string, number: number, event: string): Promise<boolean> {
    return this.#link.call("append", key, run, number, event);
  }

  renew(key: string, run: string, leaseMs: number): Promise<StreamLease> {
    return this.#link.call("renew", key, run, leaseMs);
  }

  finish(key: string, run: string | undefined, end: StreamEnd, keepMs: number): Promise<boolean> {
    return this.#link.call("finish", key, run, end, keepMs);
  }

  read(key: string, after: number, keepMs: number): Promise<StreamPage | undefined> {
    return this.#link.call("read", key, after, keepMs);
  }

  watch(key: string, changed: Listener): () => void {
    const listener: Listener = (change) => changed(change);
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners.add(listener));
    if (this.#listeners.size === 1 && listeners.size === 1)
      this.#looking = this.#looking.then(() => this.#look());
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0 || this.#listeners.get(key) !== listeners) return;
      this.#listeners.delete(key);
      if (this.#listeners.size === 0) this.#wake();
    };
  }

  /** For as long as anybody listens. What was written before is read, and not told. */
  async #look(): Promise<void> {
    while (this.#listeners.size > 0) {
      try {
        const { changed, seen } = await this.#link.call<StreamNews>("news", this.#seen);
        this.#seen = seen;
        for (const { key, ended } of changed)
          for (const tell of [...(this.#listeners.get(key) ?? [])]) tell({ ended });
      } catch {
        // Readers look for themselves from time to time.
      }
      if (this.#listeners.size > 0) await this.#rest();
    }
  }

  #rest(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, LOOK_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
