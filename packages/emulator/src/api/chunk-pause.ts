import { abortableDelay } from "../http/abortable-delay.js";
import type { Exchange } from "./exchange.js";

/** What a stream awaits before each event: the latency between events, unless its reader has gone. */
export function chunkPause({ services, signal, eachMs }: Pick<Exchange, "services" | "signal" | "eachMs">) {
  const ms = eachMs ?? services.latency.chunkMs;
  return async (): Promise<void> => {
    signal.throwIfAborted();
    if (ms > 0) await abortableDelay(ms, signal);
  };
}
