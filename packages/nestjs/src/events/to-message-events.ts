import { GatewayError } from "@model-gateway/core";
import type { MessageEvent } from "@nestjs/common";
import { catchError, concat, map, type OperatorFunction, of, throwError } from "rxjs";
import { toHttpException } from "../errors/to-http-exception.js";

/** The last event of a stream that came to its end. */
const DONE: MessageEvent = { type: "done", data: "" };

/**
 * Turns a stream into what a handler under `@Sse()` returns: one event per value, and at the end one of type
 * `done`, on which a client closes its `EventSource`: one that is only cut off connects again, and asks again.
 * Errors of the gateway become HTTP exceptions, whose message is safe to send.
 *
 * @param project what to send of a value; by default all of it
 * @example
 * \@Sse("videos/:key")
 * watch(\@Param("key") key: string) {
 *   return this.videos.watch$(key).pipe(toMessageEvents(videoProgress));
 * }
 */
export function toMessageEvents<T extends string | object>(
  project: (value: T) => string | object = (value) => value,
): OperatorFunction<T, MessageEvent> {
  return (source) =>
    concat(source.pipe(map((value) => ({ data: project(value) }))), of(DONE)).pipe(
      catchError((error: unknown) =>
        throwError(() => (GatewayError.isInstance(error) ? toHttpException(error) : error)),
      ),
    );
}
