import { createDispatchTransport } from "./dispatch-transport.js";
import { createFetchTransport, type FetchFunction } from "./fetch-transport.js";
import type { Transport } from "./transport.js";

/**
 * The dispatcher where it changes nothing that anybody can see, otherwise `fetch`: when the user gave one,
 * when a tool has patched the global one (request mocking, instrumentation), and outside Node.
 */
export function selectTransport(userFetch: FetchFunction | undefined): Transport {
  if (userFetch !== undefined) return createFetchTransport(userFetch);
  const globalFetch = (input: string, init?: RequestInit) => globalThis.fetch(input, init);
  const fallback = createFetchTransport(globalFetch);
  if (!isNode()) return fallback;
  // Not before a request needs it: Node loads all of its HTTP client for it, which is most of what the first client costs.
  let dispatch: Transport | undefined;
  const chosen = () => {
    // Decided per request, because test tools patch `fetch` after clients were made.
    if (!fetchIsNative()) return fallback;
    dispatch ??= createDispatchTransport() ?? fallback;
    return dispatch;
  };
  return {
    get name() {
      return chosen().name;
    },
    send: (request, sink) => chosen().send(request, sink),
    resolvesHere: () => chosen().resolvesHere?.() === true,
  };
}

function isNode(): boolean {
  const { process, Bun, Deno } = globalThis as {
    process?: { versions?: { node?: string } };
    Bun?: unknown;
    Deno?: unknown;
  };
  return process?.versions?.node !== undefined && Bun === undefined && Deno === undefined;
}

let checkedFetch: unknown;
let checkedIsNative = false;

function fetchIsNative(): boolean {
  const { fetch } = globalThis;
  if (fetch !== checkedFetch) {
    checkedFetch = fetch;
    checkedIsNative = isNativeFetch(fetch);
  }
  return checkedIsNative;
}

/** Node's own `fetch` is a thin function around its bundled undici; a replacement has another source text. */
function isNativeFetch(fetch: unknown): boolean {
  if (typeof fetch !== "function") return false;
  return Function.prototype.toString.call(fetch).includes("fetchImpl");
}
