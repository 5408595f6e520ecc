import type { ExchangeFailure } from "../transport/exchange-failure.js";
import { AsyncQueue } from "./async-queue.js";
import { EventStreamParser } from "./event-stream-parser.js";
import type { StreamErrors, StreamReader } from "./stream-reader.js";

/** What one kind of stream makes of its events. */
export interface StreamShape<T> {
  /** Looks at an event. */
  accept(event: T): void;
  /**
   * Whether nothing of the answer is missing, should the stream be over now.
   * @param marked whether the server sent the marker that ends a stream
   */
  isWhole(marked: boolean): boolean;
  /** What has arrived so far, for errors. */
  partial(): unknown;
  /** Token or image usage told of so far. */
  usage?(): unknown;
  /** The error that an event tells of, in the form of an error body; undefined for every other event. */
  findError(event: T): unknown;
  /** Longest event that is read, in characters. */
  readonly maxEventLength: number;
  /** Recognises events that repeat; left out, each is parsed. */
  readonly template?: EventTemplate<T> | undefined;
  /** Looks at what is new of an event that repeats the one before it, as the template has read it. */
  acceptRepeated?(): void;
}

/** Reads events by what differs between them. */
export interface EventTemplate<T> {
  /** @returns the event, equal to the parsed one and new each time; undefined for one that is to be parsed */
  match(data: string): T | undefined;
  /**
   * Takes a parsed event, which tells of no error, for the one that others repeat.
   * @returns whether it does, and so whether others add nothing to it but what is new of them
   */
  learn(data: string, event: T): boolean;
}

/** Unread events at which the connection is paused. */
const HIGH_WATER_MARK = 1_024;
const END_MARKER = "[DONE]";
const BRACKET = 91;
/** What arrives is added up, so an answer without end would take all memory. */
const MAX_STREAM_BYTES = 2 ** 30;

/** Reads a stream of JSON events: parses, watches for errors inside the stream and for its end. */
export class JSONStreamReader<T> implements StreamReader<T> {
  readonly queue = new AsyncQueue<T>(HIGH_WATER_MARK);
  complete = false;
  #marked = false;
  #items = 0;
  #received = 0;
  /** Whether anything came that was no error. */
  #delivered = false;
  /** Whether the last event was one of the template's. */
  #repeating = false;
  readonly #parser: EventStreamParser;
  readonly #shape: StreamShape<T>;
  readonly #errors: StreamErrors;

  constructor(shape: StreamShape<T>, errors: StreamErrors) {
    this.#shape = shape;
    this.#errors = errors;
    this.#parser = new EventStreamParser((data) => this.#onEvent(data), shape.maxEventLength);
  }

  push(chunk: Uint8Array): number {
    this.#items = 0;
    this.#received += chunk.length;
    if (this.#received > MAX_STREAM_BYTES)
      throw this.#errors.unreadable(`more than ${MAX_STREAM_BYTES} bytes`);
    if (!this.#parser.push(chunk)) {
      throw this.#errors.unreadable(`an event of more than ${this.#shape.maxEventLength} characters`);
    }
    return this.#items;
  }

  end(): void {
    const rest = this.#parser.end();
    // Half an event at the end is a broken stream, not a broken event.
    if (rest !== undefined && isCompleteEvent(rest.data)) this.#onEvent(rest.data);
    if (this.#shape.isWhole(this.#marked)) this.complete = true;
  }

  interrupted(failure: ExchangeFailure): unknown {
    const harmless = failure.kind === "closed" || failure.kind === "reset" || failure.kind === "idle";
    if (harmless && this.#shape.isWhole(this.#marked)) {
      this.complete = true;
      return undefined;
    }
    return this.#errors.interrupted(failure, this.#shape.partial());
  }

  usage(): unknown {
    return this.#shape.usage?.();
  }

  partial(): unknown {
    return this.#shape.partial();
  }

  #onEvent(data: string): void {
    if (this.complete || data === "") return;
    const shape = this.#shape;
    const repeated = shape.template?.match(data);
    if (repeated !== undefined) {
      this.#items++;
      if (this.#repeating && shape.acceptRepeated) shape.acceptRepeated();
      else this.#accept(repeated);
      this.#repeating = true;
      this.queue.push(repeated);
      return;
    }
    if (isEndMarker(data)) {
      this.#marked = true;
      if (!shape.isWhole(true)) throw this.interrupted({ kind: "unfinished" });
      this.complete = true;
      return;
    }
    const event = this.#parse(data) as T;
    this.#items++;
    const error = shape.findError(event);
    if (error !== undefined) {
      const delivered = this.#delivered;
      throw this.#errors.inside(error, { partial: shape.partial(), delivered });
    }
    this.#accept(event);
    this.#delivered = true;
    this.#repeating = shape.template?.learn(data, event) === true;
    this.queue.push(event);
  }

  /** Readers trust the shape that is documented; a route that sends another one must not crash them. */
  #accept(event: T): void {
    try {
      this.#shape.accept(event);
    } catch {
      throw this.#errors.unreadable("a stream event of an unknown shape", event);
    }
  }

  #parse(data: string): unknown {
    let event: unknown;
    try {
      event = JSON.parse(data);
    } catch {
      // Told below, as for JSON that is no object.
    }
    if (typeof event === "object" && event !== null) return event;
    throw this.#errors.unreadable("a stream event that is not a JSON object", data);
  }
}

/** Some routes put blanks behind it. */
function isEndMarker(data: string): boolean {
  return data.charCodeAt(0) === BRACKET && data.trimEnd() === END_MARKER;
}

function isCompleteEvent(data: string): boolean {
  if (isEndMarker(data)) return true;
  try {
    JSON.parse(data);
    return true;
  } catch {
    return false;
  }
}
