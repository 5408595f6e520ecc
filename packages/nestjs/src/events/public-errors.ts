import { GatewayError } from "@model-gateway/core";
import { Logger, type MessageEvent } from "@nestjs/common";
import { catchError, defer, type MonoTypeOperatorFunction, of, tap, throwError } from "rxjs";
import { toHttpException } from "../errors/to-http-exception.js";
import { VideoException } from "../videos/video-exception.js";

/**
 * Makes errors of the gateway HTTP exceptions. Once a stream has begun no exception filter is asked, and Nest 11
 * sends the message of whatever error ends it; Nest also lets an error overtake the events that wait to be written.
 * So from the first event on, the error is an event of its own, in its place.
 */
export function publicErrors(): MonoTypeOperatorFunction<MessageEvent> {
  return (events) =>
    defer(() => {
      let begun = false;
      return events.pipe(
        tap(() => {
          begun = true;
        }),
        catchError((error: unknown) => {
          if (error instanceof VideoException)
            return begun ? of({ type: "error", data: told(error) }) : throwError(() => error);
          if (!GatewayError.isInstance(error)) return throwError(() => error);
          const exception = toHttpException(error);
          return begun ? of({ type: "error", data: exception.message }) : throwError(() => exception);
        }),
      );
    });
}

/** What the reader may know; the rest goes to the log, since no filter is asked any more. */
function told(exception: VideoException): string {
  new Logger("VideosService").error(exception.message);
  return (exception.getResponse() as { message: string }).message;
}
