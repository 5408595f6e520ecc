import { AsyncLocalStorage } from "node:async_hooks";

/** Who reads events over HTTP, as far as its streams must know. */
export interface EventReader {
  /** Set for one that comes back. */
  readonly lastEventId: string | undefined;
  /** Set by the stream: nothing follows what this reader has, and nothing may be paid for it again. */
  over: boolean;
}

/** Before the first event of a stream, an `EventSource` has this id, so that also then it is known to come back. */
export const NO_EVENT_ID = "0";

/** Of the subscription that is being made. */
export const eventReaders = new AsyncLocalStorage<EventReader>();
