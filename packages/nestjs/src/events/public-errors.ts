import { GatewayError } from "@model-gateway/core";
import { KeyedStreamError, NO_EVENT_ID } from "@model-gateway/core/resumable";
import { Logger, type MessageEvent } from "@nestjs/common";
import { catchError, defer, EMPTY, type MonoTypeOperatorFunction, of, tap, throwError } from "rxjs";
import { toHttpException } from "../errors/to-http-exception.js";
import { VideoException } from "../videos/video-exception.js";

/**
 * Makes errors of the gateway HTTP exceptions. Once a stream has begun no exception filter is asked, and Nest 11
 * sends the message of whatever error ends it; Nest also lets an error overtake the events that wait to be written.
 * So from the first event on, the error is an event of its own, in its place.
 */
export function publicErrors(reader: ErrorReader = NOBODY): MonoTypeOperatorFunction<MessageEvent> {
  return (events) =>
    defer(() => {
      let begun = false;
      return events.pipe(
        tap(() => {
          begun = true;
        }),
        catchError((error: unknown) => {
          if (reader.isOver()) return EMPTY;
          begun ||= reader.hasHead();
          if (error instanceof VideoException)
            return begun ? of({ type: "error", data: told(error) }) : throwError(() => error);
          if (!GatewayError.isInstance(error)) return throwError(() => error);
          // Nest's own number would be taken for one of the stream.
          const id = KeyedStreamError.isInstance(error) ? { id: error.eventId ?? reader.lastId() } : {};
          if (KeyedStreamError.isInstance(error) && error.reason === "stopped")
            return of({ type: "stopped", data: "", ...id });
          const exception = toHttpException(error);
          return begun ? of({ type: "error", data: exception.message, ...id }) : throwError(() => exception);
        }),
      );
    });
}

/** To whom an error is told. */
export interface ErrorReader {
  /** Nothing is, since this one has everything. */
  isOver(): boolean;
  /** Whether it is too late for a status. */
  hasHead(): boolean;
  /** Of the last event it was sent. */
  lastId(): string;
}

const NOBODY: ErrorReader = { isOver: () => false, hasHead: () => false, lastId: () => NO_EVENT_ID };

/** What the reader may know; the rest goes to the log, since no filter is asked any more. */
function told(exception: VideoException): string {
  new Logger("VideosService").error(exception.message);
  return (exception.getResponse() as { message: string }).message;
}
