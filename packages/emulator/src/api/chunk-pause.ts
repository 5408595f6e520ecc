import { abortableDelay } from "../http/abortable-delay.js";
import type { Services } from "./services.js";

/** What a stream awaits before each event: the latency between events, unless its reader has gone. */
export function chunkPause({ latency }: Services, signal: AbortSignal): () => Promise<void> {
  return async () => {
    signal.throwIfAborted();
    if (latency.chunkMs > 0) await abortableDelay(latency.chunkMs, signal);
  };
}
