import { onAbort } from "../call/abort-signal.js";
import type { StreamSource } from "./stream-source.js";

/** The events of a call until it is aborted, whether the call itself minds the signal or not. */
export async function* untilAborted(source: StreamSource, signal: AbortSignal): AsyncGenerator<unknown> {
  let interrupt = () => {};
  const forget = onAbort(signal, () => interrupt());
  /** @returns undefined when the signal aborts first */
  const wait = <T>(work: PromiseLike<T>): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      interrupt = () => resolve(undefined);
      work.then(resolve, reject);
      if (signal.aborted) interrupt();
    });
  let events: AsyncIterator<unknown> | undefined;
  let isOver = false;
  const opening = Promise.resolve(source.open(signal)).then((opened) => {
    events = opened[Symbol.asyncIterator]();
    if (isOver) leave(events);
    return events;
  });
  try {
    for (let opened = await wait(opening); opened !== undefined; ) {
      const result = await wait(opened.next());
      if (result === undefined || signal.aborted) return;
      if (result.done === true) {
        events = undefined;
        return;
      }
      yield result.value;
    }
  } finally {
    isOver = true;
    forget();
    if (events !== undefined) leave(events);
  }
}

/** What one does with a call that is over, whose last words are nobody's. */
function leave(events: AsyncIterator<unknown>): void {
  Promise.resolve(events.return?.()).catch(() => {});
}
