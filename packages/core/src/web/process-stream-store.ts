import { MemoryStreamStore } from "../resumable/memory-stream-store.js";
import type { StreamStore } from "../resumable/stream-store.js";

/** Used by several at once: none of them closes it. */
class ProcessStreamStore extends MemoryStreamStore {
  override async close(): Promise<void> {}
}

const NAME = Symbol.for("@model-gateway/core.streams");

/** The one store of this process: bundlers give each route a copy of every module, and so of its variables. */
export function processStreamStore(): StreamStore {
  const shared = globalThis as { [NAME]?: StreamStore };
  shared[NAME] ??= new ProcessStreamStore();
  return shared[NAME];
}
