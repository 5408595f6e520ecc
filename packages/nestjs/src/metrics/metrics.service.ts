import type { BeforeApplicationShutdown } from "@nestjs/common";
import type { Observable, Subject } from "rxjs";
import type { MetricsEvent } from "./metrics-event.js";

/** What the client of an instance is doing, for metrics and budgets. */
export class MetricsService implements BeforeApplicationShutdown {
  /**
   * Every event of every call from now on, polls of videos included. Hot: what happened before is not repeated.
   * Completes when the application closes, after the streams that its close ended.
   *
   * Events are delivered while the call goes on, so do little. A subscriber that throws disturbs neither the call
   * nor other subscribers; RxJS reports its error (`config.onUnhandledError`, or else an uncaught exception).
   */
  readonly events$: Observable<MetricsEvent>;

  constructor(private readonly events: Subject<MetricsEvent>) {
    this.events$ = events.asObservable();
  }

  /** Later than the end of streams, and earlier than the server's close, which an open `@Sse()` would hold up. */
  beforeApplicationShutdown(): void {
    this.events.complete();
  }
}
