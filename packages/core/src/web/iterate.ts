/** The events of a stream of the web, too: not every runtime can iterate over those. */
export function iterate(events: AsyncIterable<unknown> | ReadableStream<unknown>): AsyncIterable<unknown> {
  return "getReader" in events ? read(events) : events;
}

async function* read(stream: ReadableStream<unknown>): AsyncGenerator<unknown> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // Of one that has ended, or failed, this does nothing.
    void reader.cancel().catch(() => {});
  }
}
