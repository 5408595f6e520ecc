import { QueueReader } from "../streams/async-queue.js";
import { JSONStreamReader, type StreamShape } from "../streams/json-stream-reader.js";
import { APIPromise } from "./api-promise.js";
import type { Reading } from "./attempt.js";
import type { Call, RequestOptions } from "./call.js";
import { errorFromFailure, errorFromUnreadable, streamErrorsOf } from "./call-errors.js";
import { type Sender, withResponse } from "./sender.js";

/** A stream whose head has arrived. */
export interface OpenStream<E> {
  queue: QueueReader<E>;
  /** Ends the stream with an `APIUserAbortError` and closes the connection. */
  abort(reason?: unknown): void;
}

/** Sends a call and reads its answer as a stream of JSON events. */
export function openStream<E, T>(
  sender: Sender,
  call: Call,
  options: RequestOptions | undefined,
  shape: () => StreamShape<E>,
  wrap: (stream: OpenStream<E>) => T,
): APIPromise<T> {
  const reading: Reading<E> = {
    accept: "text/event-stream",
    createReader: (context) => new JSONStreamReader(shape(), streamErrorsOf(context)),
  };
  return new APIPromise(
    sender.run(call, options ?? {}, reading, ({ answer: { stream }, body, info, context }) => {
      if (stream === undefined) {
        throw errorFromUnreadable("a whole answer where a stream was asked for", info.status, body, context);
      }
      const abort = (reason?: unknown) =>
        stream.cancel(errorFromFailure({ kind: "aborted", cause: reason, sent: true }, context));
      return withResponse(wrap({ queue: new QueueReader(stream), abort }), info);
    }),
  );
}
