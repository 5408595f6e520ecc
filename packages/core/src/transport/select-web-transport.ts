import { createFetchTransport, type FetchFunction } from "./fetch-transport.js";
import type { Transport } from "./transport.js";

/** What bundles for browsers, workers and edge runtimes hold for `selectTransport`: these have `fetch` and nothing below it. */
export function selectTransport(userFetch: FetchFunction | undefined): Transport {
  return createFetchTransport(userFetch ?? ((input, init) => globalThis.fetch(input, init)));
}
