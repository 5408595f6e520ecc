import { KeyedStreamError } from "../resumable/keyed-stream-error.js";
import type { OpenedStream } from "../resumable/resumable-streams.js";
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
  events: OpenedStream["events"],
  format: StreamFormat,
  gone: AbortController,
): Promise<Response> {
  const next = async () => {
    try {
      return await events.next();
    } catch (error) {
      if (KeyedStreamError.isInstance(error)) return error;
      throw error;
    }
  };
  let waiting: Awaited<ReturnType<typeof next>> | undefined = await next();
  if (KeyedStreamError.isInstance(waiting) && waiting.reason !== "stopped") throw waiting;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const result = waiting ?? (await next());
        waiting = undefined;
        const write = (text: string) => controller.enqueue(encoder.encode(text));
        if (KeyedStreamError.isInstance(result)) {
          write(format.failure(result, format.message?.(result) ?? failureOf(result).message));
          controller.close();
        } else if (result.done !== true) {
          write(format.event(result.value));
        } else if (result.value !== undefined) {
          write(format.end(result.value));
          controller.close();
        } else {
          // Whoever may still be listening must not take it for whole.
          controller.error(new Error("The reader left."));
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
