import { AsyncLocalStorage } from "node:async_hooks";

/** Who reads events over HTTP, as far as its streams must know. */
export interface EventReader {
  /** Set for one that comes back. */
  readonly lastEventId: string | undefined;
  /** Set by the stream: nothing follows what this reader has, and nothing may be paid for it again. */
  over: boolean;
}

/** Of the subscription that is being made. */
export const eventReaders = new AsyncLocalStorage<EventReader>();
