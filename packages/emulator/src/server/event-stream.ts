/**
 * A `text/event-stream` response: one `data:` event per chunk, then the end marker of the chat wire format.
 *
 * @param pause awaited before each chunk; it rejects when the client or the emulator has gone
 */
export function eventStreamResponse(chunks: Iterable<unknown>, pause: () => Promise<void>): Response {
  const encoder = new TextEncoder();
  const iterator = chunks[Symbol.iterator]();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await pause();
      const next = iterator.next();
      if (next.done) {
        controller.enqueue(encoder.encode("data: [DONE]\n\n"));
        controller.close();
      } else {
        controller.enqueue(encoder.encode(`data: ${JSON.stringify(next.value)}\n\n`));
      }
    },
    cancel() {
      iterator.return?.();
    },
  });
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      // Reverse proxies in front of the emulator must not collect the stream.
      "x-accel-buffering": "no",
    },
  });
}

export function isEventStream(response: Response): boolean {
  return response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}
