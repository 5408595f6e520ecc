import { isErrorEnvelope } from "../errors/read-error-body.js";
import { AsyncQueue } from "./async-queue.js";
import type { AttemptFailure, StreamReader } from "./attempt.js";
import {
  type ErrorContext,
  errorFromErrorAnswer,
  errorFromInterruption,
  errorFromUnreadable,
} from "./call-errors.js";
import { EventStreamParser } from "./event-stream-parser.js";

/** What one kind of stream makes of its events. */
export interface StreamShape<T> {
  /** Looks at an event. @returns true once nothing the caller waits for can be missing any more */
  accept(event: T): boolean;
  /** What has arrived so far, for errors. */
  partial(): unknown;
  /** Token or image usage told of so far. */
  usage?(): unknown;
  /** Whether an event that looks like an error is one of the stream's own. */
  owns?(event: T): boolean;
}

/** Unread events at which the connection is paused. */
const HIGH_WATER_MARK = 1_024;
const END_MARKER = "[DONE]";

/** Reads a stream of JSON events: parses, watches for errors inside the stream and for its end. */
export class JSONStreamReader<T> implements StreamReader<T> {
  readonly queue = new AsyncQueue<T>(HIGH_WATER_MARK);
  complete = false;
  private sufficient = false;
  private items = 0;
  private readonly parser = new EventStreamParser((data) => this.onEvent(data));

  constructor(
    private readonly shape: StreamShape<T>,
    private readonly context: ErrorContext,
  ) {}

  push(chunk: Uint8Array): number {
    this.items = 0;
    this.parser.push(chunk);
    return this.items;
  }

  end(): void {
    const rest = this.parser.end();
    // Half an event at the end is a broken stream, not a broken event.
    if (rest !== undefined && isCompleteEvent(rest.data)) this.onEvent(rest.data);
    if (this.sufficient) this.complete = true;
  }

  interrupted(failure: AttemptFailure): unknown {
    const harmless = failure.kind === "closed" || failure.kind === "reset" || failure.kind === "idle";
    if (this.sufficient && harmless) return undefined;
    return errorFromInterruption(failure, this.context, this.shape.partial());
  }

  usage(): unknown {
    return this.shape.usage?.();
  }

  private onEvent(data: string): void {
    if (this.complete || data === "") return;
    if (data === END_MARKER) {
      this.complete = true;
      return;
    }
    const event = this.parse(data);
    this.items++;
    if (isErrorEnvelope(event) && !this.shape.owns?.(event as T)) {
      throw errorFromErrorAnswer({ status: 200, body: event, partial: this.shape.partial() }, this.context);
    }
    if (this.accept(event as T)) this.sufficient = true;
    this.queue.push(event as T);
  }

  /** Readers trust the shape that is documented; a route that sends another one must not crash them. */
  private accept(event: T): boolean {
    try {
      return this.shape.accept(event);
    } catch {
      throw errorFromUnreadable("a stream event of an unknown shape", 200, event, this.context);
    }
  }

  private parse(data: string): unknown {
    let event: unknown;
    try {
      event = JSON.parse(data);
    } catch {
      // Told below, as for JSON that is no object.
    }
    if (typeof event === "object" && event !== null) return event;
    throw errorFromUnreadable("a stream event that is not a JSON object", 200, data, this.context);
  }
}

function isCompleteEvent(data: string): boolean {
  if (data === END_MARKER) return true;
  try {
    JSON.parse(data);
    return true;
  } catch {
    return false;
  }
}
