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
  const dispatch = isNode() ? createDispatchTransport() : undefined;
  if (dispatch === undefined) return fallback;
  return {
    name: dispatch.name,
    // Decided per request, because test tools patch `fetch` after clients were made.
    send: (request, sink) => (fetchIsNative() ? dispatch : fallback).send(request, sink),
    resolvesHere: () => fetchIsNative() && dispatch.resolvesHere?.() === true,
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
