import { followingEventId } from "../resumable/event-position.js";
import { KeyedStreamError } from "../resumable/keyed-stream-error.js";
import type { StreamEvent } from "../resumable/resumable-streams.js";
import { failureOf } from "./stream-failure.js";
import type { StreamFormat } from "./stream-format.js";

const encoder = new TextEncoder();

/**
 * Writes a stream for one reader. It waits for the first event: what fails before has a status of its own.
 *
 * @param gone aborts when the reader has left, which this may do itself
 * @throws KeyedStreamError when there is no event to send
 */
export async function streamResponse(
  events: AsyncIterable<StreamEvent>,
  format: StreamFormat,
  gone: AbortController,
): Promise<Response> {
  const iterator = events[Symbol.asyncIterator]();
  const next = async (): Promise<IteratorResult<StreamEvent> | KeyedStreamError> => {
    try {
      return await iterator.next();
    } catch (error) {
      if (KeyedStreamError.isInstance(error)) return error;
      throw error;
    }
  };
  let waiting: IteratorResult<StreamEvent> | KeyedStreamError | undefined = await next();
  if (KeyedStreamError.isInstance(waiting) && waiting.reason !== "stopped") throw waiting;
  let last: string | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const result = waiting ?? (await next());
        waiting = undefined;
        // Whoever may still be listening must not take it for whole.
        if (gone.signal.aborted) {
          controller.error(new Error("The reader left."));
          return;
        }
        const write = (text: string) => controller.enqueue(encoder.encode(text));
        if (KeyedStreamError.isInstance(result)) {
          write(format.failure(result, format.message?.(result) ?? failureOf(result).message));
          controller.close();
        } else if (result.done === true) {
          write(format.end(last && followingEventId(last)));
          controller.close();
        } else {
          last = result.value.id;
          write(format.event(result.value));
        }
      },
      cancel() {
        gone.abort();
      },
    },
    // No event waits here that nobody takes.
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: format.headers });
}
