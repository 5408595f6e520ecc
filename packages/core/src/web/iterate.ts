/** The events of a stream of the web, too: not every runtime can iterate over those. */
export function iterate(events: AsyncIterable<unknown> | ReadableStream<unknown>): AsyncIterable<unknown> {
  if (!("getReader" in events)) return events;
  return {
    [Symbol.asyncIterator]() {
      const reader = events.getReader();
      return {
        async next() {
          const { done, value } = await reader.read();
          return done ? { done, value: undefined } : { done, value };
        },
        // Also before the first read, and during one, when a generator could not.
        async return() {
          await reader.cancel();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
