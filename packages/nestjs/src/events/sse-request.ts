import { AsyncLocalStorage } from "node:async_hooks";

/** The request that a handler under `@Sse()` answers, as far as its events must know it. */
export interface SseRequest {
  /** What an `EventSource` that comes back sends. */
  lastEventId: string | undefined;
  /** Whether it is too late to answer with a status. */
  hasHead(): boolean;
}

/** Of the request that is being handled. */
export const sseRequests = new AsyncLocalStorage<SseRequest>();
