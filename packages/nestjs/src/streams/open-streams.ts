import { Observable } from "rxjs";
import { eventReaders } from "./event-reader.js";
import { letResponsesEnd } from "./let-responses-end.js";

/**
 * Observables over core's streams, whose requests end when nobody listens any more and when the application
 * closes, so that nobody pays for what nobody reads.
 */
export class OpenStreams {
  /** One per subscription. */
  private readonly controllers = new Set<AbortController>();
  private closed = false;

  /**
   * A cold Observable: each subscription opens a stream of its own.
   *
   * @param open sends the request; to be aborted with the signal
   * @param callerSignal aborts it as well
   */
  observe<T>(
    open: (signal: AbortSignal) => PromiseLike<AsyncIterable<T>>,
    callerSignal?: AbortSignal,
  ): Observable<T> {
    return new Observable((subscriber) => {
      const reader = eventReaders.getStore();
      if (reader?.lastEventId !== undefined) {
        // It had its stream, which cannot be read again, and did not ask to pay for another.
        reader.over = true;
        subscriber.complete();
        return;
      }
      const controller = new AbortController();
      if (this.closed) controller.abort(closing());
      this.controllers.add(controller);
      const { signal } = controller;
      const forward = async () => {
        const stream = await open(callerSignal ? AbortSignal.any([signal, callerSignal]) : signal);
        for await (const item of stream) subscriber.next(item);
      };
      forward().then(
        () => subscriber.complete(),
        (error) => subscriber.error(error),
      );
      return () => {
        this.controllers.delete(controller);
        controller.abort();
      };
    });
  }

  /** Ends all streams with an error, and each that is opened from now on before it sends anything. */
  async close(): Promise<void> {
    this.closed = true;
    if (this.controllers.size === 0) return;
    for (const controller of this.controllers) controller.abort(closing());
    await letResponsesEnd();
  }
}

function closing(): Error {
  return new Error("The application is closing.");
}
