import type { StreamChange } from "./stream-changes.js";
import type { StreamEnd } from "./stream-end.js";

/** What a reader of a stream is given at once. */
export interface StreamPage {
  /** The call that the stream comes from: a key that is used again gets another one. */
  run: string;
  /** Those after the one that was asked for, each as JSON, in order and without a gap. */
  events: readonly string[];
  /** How many events the stream has so far; the last of `events` may have a lower number. */
  count: number;
  /** Set when there will be no more than `count`. */
  end?: StreamEnd;
}

/** What the process that makes a paid call learns when it says that it lives. */
export interface StreamLease {
  /** False when the stream is over for everybody else: stopped, or taken for cut. */
  held: boolean;
  /** Milliseconds since anybody asked for its events. */
  unreadMs: number;
}

/**
 * Keeps the events of streams that have a key, while they are made and for some time afterwards. Each stream has one
 * owner: the process that makes the paid call. Numbers of events begin at 1. Methods reject when the store cannot be
 * reached, and may then be called again with the same arguments: none does anything twice.
 *
 * `streamStoreContract` of `@model-gateway/core/testing` is what every store must do.
 */
export abstract class StreamStore {
  /** Whether several processes see the same streams. */
  abstract readonly shared: boolean;

  /** Called once, before anything else. */
  abstract open(): Promise<void>;

  /** Called once, after everything else. */
  abstract close(): Promise<void>;

  /**
   * Makes `run` the owner of a new stream. A stream that was refused (`end.outcome`) makes way for it, and so does that of
   * the call `replaces` once it is over.
   *
   * @returns false when there is a stream with this key, unless it is of this very `run`
   * @throws StreamStoreFullError when there is no room; nothing is taken then
   */
  abstract begin(key: string, run: string, leaseMs: number, replaces?: string): Promise<boolean>;

  /**
   * Adds an event.
   *
   * @param number of this event; one that is there already is not added again
   * @returns false when the stream is over, or no longer of this owner
   * @throws StreamStoreFullError when there is no room for it
   */
  abstract append(key: string, run: string, number: number, event: string): Promise<boolean>;

  /** Says that the owner lives. In a shared store one that is silent for `leaseMs` has its stream end as `cut`. */
  abstract renew(key: string, run: string, leaseMs: number): Promise<StreamLease>;

  /**
   * Ends a stream: no event is added any more. It is forgotten after `keepMs`.
   *
   * @param run the owner; undefined where anybody may end it
   * @returns false when it is over already, not there, or not of this owner
   */
  abstract finish(key: string, run: string | undefined, end: StreamEnd, keepMs: number): Promise<boolean>;

  /**
   * The events after number `after`, not necessarily all of them. Whoever reads is a reader: see `unreadMs`.
   *
   * @param keepMs how long a stream is kept that turns out to be cut
   * @returns undefined when there is no such stream
   */
  abstract read(key: string, after: number, keepMs: number): Promise<StreamPage | undefined>;

  /**
   * Tells when there may be more to read, and whether that is the end. Some of it may get lost. Never throws, also before
   * the store is open.
   *
   * @returns a function that takes the listener off again
   */
  abstract watch(key: string, changed: (change: StreamChange) => void): () => void;
}
