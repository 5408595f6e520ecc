import { followingEventId, NO_EVENT_ID } from "@model-gateway/core/resumable";
import { HttpException, HttpStatus, type MessageEvent } from "@nestjs/common";
import { concat, defer, EMPTY, map, Observable, type OperatorFunction, of, throwError } from "rxjs";
import { eventIdOf } from "../streams/event-id.js";
import { type EventReader, eventReaders } from "../streams/event-reader.js";
import { DONE_EVENT } from "./done-event.js";
import { publicErrors } from "./public-errors.js";
import { type SseRequest, sseRequests } from "./sse-request.js";

/** How `chatEvents()` and `imageEvents()` know a reader that comes back. */
export interface EventsOptions {
  /**
   * Id of the last event that the reader has. Default: the `Last-Event-ID` header of the request, wherever Nest's
   * middleware runs before the handler.
   */
  lastEventId?: string | undefined;
}

/** As long as an `EventSource` can be told to wait: for good. */
const NEVER_AGAIN_MS = 2 ** 31 - 1;

/** Events of a paid stream for `@Sse()`, with ids where the stream has a key, and one of type `done` at its end. */
export function toEvents<T extends object>(
  dataOf: (event: T) => object,
  options: EventsOptions = {},
): OperatorFunction<T, MessageEvent> {
  return (source) => {
    const request = sseRequests.getStore();
    return defer(() => {
      const reader: EventReader = { lastEventId: options.lastEventId ?? request?.lastEventId, over: false };
      let last = reader.lastEventId;
      const read = new Observable<T>((subscriber) =>
        eventReaders.run(reader, () => source.subscribe(subscriber)),
      );
      const messages = read.pipe(
        map((event): MessageEvent => {
          const id = eventIdOf(event);
          last = id ?? last;
          return { ...(id !== undefined && { id }), data: dataOf(event) };
        }),
      );
      const done = defer(() => {
        if (reader.over) return EMPTY;
        const id = last === undefined ? undefined : followingEventId(last);
        return of({ ...DONE_EVENT, ...(id !== undefined && { id }) });
      });
      const errorReader = {
        isOver: () => reader.over,
        hasHead: () => request?.hasHead() ?? false,
        lastId: () => last ?? NO_EVENT_ID,
      };
      const events = concat(messages, done).pipe(publicErrors(errorReader));
      const told = concat(
        events,
        defer(() => (reader.over ? nothingMore(request, last) : EMPTY)),
      );
      return request === undefined || reader.lastEventId !== undefined ? told : withFirstId(told);
    });
  };
}

/** Ends an `EventSource`, which asks again after any other answer. */
function nothingMore(request: SseRequest | undefined, id: string | undefined): Observable<MessageEvent> {
  if (request?.hasHead() === false) return throwError(() => new HttpException("", HttpStatus.NO_CONTENT));
  return of({ ...DONE_EVENT, ...(id !== undefined && { id }), retry: NEVER_AGAIN_MS });
}

/** Lets an `EventSource` that loses its connection before the first event tell that it comes back. */
function withFirstId(events: Observable<MessageEvent>): Observable<MessageEvent> {
  return new Observable((subscriber) => {
    // Not at once: what fails by then has a status of its own.
    const first = setImmediate(() => subscriber.next({ id: NO_EVENT_ID }));
    const settled = () => clearImmediate(first);
    const subscription = events.subscribe({
      next: (event) => {
        settled();
        subscriber.next(event);
      },
      error: (error) => {
        settled();
        subscriber.error(error);
      },
      complete: () => {
        settled();
        subscriber.complete();
      },
    });
    return () => {
      settled();
      subscription.unsubscribe();
    };
  });
}
