import { LocalVideoTaskStore } from "./local-video-task-store.js";
import type { VideoTaskRecord } from "./video-task-record.js";

/** Settings of a `MemoryVideoTaskStore`. */
export interface MemoryVideoTaskStoreOptions {
  /** Finished tasks that are kept; the oldest are forgotten first. Default 10000. `unknown` ones all stay. */
  maxFinished?: number;
}

/** Keeps video tasks in this process: for tests. Everything is forgotten when it ends. */
export class MemoryVideoTaskStore extends LocalVideoTaskStore {
  readonly durable = false;

  constructor({ maxFinished }: MemoryVideoTaskStoreOptions = {}) {
    super(maxFinished);
  }

  async close(): Promise<void> {
    // Records stay: an application that is given the same store goes on with them.
  }

  protected async persist(): Promise<void> {
    // Memory is all there is.
  }

  protected async load(): Promise<Iterable<VideoTaskRecord>> {
    return [...this.records()];
  }
}
