import { LocalVideoTaskStore } from "./local-video-task-store.js";
import type { VideoTaskRecord } from "./video-task-record.js";
import type { VideoTaskRetention } from "./video-task-retention.js";

/** Settings of a `MemoryVideoTaskStore`. */
export interface MemoryVideoTaskStoreOptions {
  /** What is forgotten of finished tasks. */
  retention?: VideoTaskRetention;
}

/** Keeps video tasks in this process: for tests. Everything is forgotten when it ends. */
export class MemoryVideoTaskStore extends LocalVideoTaskStore {
  readonly durable = false;

  /** @throws ConfigurationError when the retention makes no sense */
  constructor({ retention }: MemoryVideoTaskStoreOptions = {}) {
    super("MemoryVideoTaskStore", retention);
  }

  async close(): Promise<void> {
    // Records stay: an application that is given the same store goes on with them.
  }

  protected async persist(): Promise<void> {
    // Memory is all there is.
  }

  protected async load(restore: (record: VideoTaskRecord) => void): Promise<void> {
    for (const record of this.records()) restore(record);
  }
}
