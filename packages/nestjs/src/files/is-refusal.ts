import { GatewayError } from "@model-gateway/core";

/** What passes by itself; whatever else a server says of an address, it will say again. */
const PASSING: ReadonlySet<string> = new Set([
  "rate_limit",
  "server",
  "connection",
  "timeout",
  "stream_interrupted",
  // The key cannot be had right now.
  "configuration",
  "aborted",
]);

/** Whether an answer is of the kind that stays the same however often it is asked for. Trouble of the own store is none. */
export function isRefusal(error: unknown): boolean {
  return GatewayError.isInstance(error) && !PASSING.has(error.kind);
}
