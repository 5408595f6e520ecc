import { isRecord } from "../json/is-record.js";
import { Answer } from "./answer.js";
import { APIError } from "./api-error.js";

/** How the events of a stream are written. */
export interface EventStreamOptions {
  /** Awaited before each event; it rejects when the client or the emulator has gone. */
  pause: () => Promise<void>;
  /** Whether `data: [DONE]`, the end marker of the chat wire format, closes the stream. Default true. */
  endMarker?: boolean;
}

/**
 * A `text/event-stream` response: one `data:` event per chunk, with an `event:` line for one that has a `type`.
 * What fails in between is told in an event of its own: the status has been sent.
 */
export function eventStreamResponse(
  chunks: Iterable<unknown> | AsyncIterable<unknown>,
  { pause, endMarker = true }: EventStreamOptions,
): Answer {
  const encoder = new TextEncoder();
  const iterator =
    Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await pause();
      try {
        const next = await iterator.next();
        if (!next.done) {
          controller.enqueue(encoder.encode(eventText(next.value)));
          return;
        }
        if (endMarker) controller.enqueue(encoder.encode("data: [DONE]\n\n"));
      } catch (error) {
        if (!(error instanceof APIError)) throw error;
        controller.enqueue(encoder.encode(eventText(error.toBody())));
      }
      controller.close();
    },
    async cancel() {
      await iterator.return?.();
    },
  });
  return new Answer(body, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      // Reverse proxies in front of the emulator must not collect the stream.
      "x-accel-buffering": "no",
    },
  });
}

function eventText(value: unknown): string {
  const type = isRecord(value) ? value["type"] : undefined;
  const name = typeof type === "string" ? `event: ${type}\n` : "";
  return `${name}data: ${JSON.stringify(value)}\n\n`;
}

export function isEventStream(response: Answer): boolean {
  return response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}
