import type { ExchangeFailure } from "../transport/exchange-failure.js";
import type { AsyncQueue } from "./async-queue.js";

/** Reads a stream of answers while it arrives. Made per attempt. */
export interface StreamReader<T> {
  /** Where the reader puts what it has read. */
  readonly queue: AsyncQueue<T>;
  /** @returns the number of content items read; comments and half events count as none */
  push(chunk: Uint8Array): number;
  /** True as soon as the answer is complete, whether or not the server closes the connection. */
  readonly complete: boolean;
  /** The connection ended; the reader takes what is left. Throws a public error to fail the stream. */
  end(): void;
  /** The public error for a stream that broke, or undefined when nothing of the answer is missing. */
  interrupted(failure: ExchangeFailure): unknown;
  /** Usage that the stream told of so far. */
  usage?(): unknown;
  /** What has arrived so far, added up. */
  partial?(): unknown;
}

/** Makes the public errors of a stream: the call that it belongs to knows what they say. */
export interface StreamErrors {
  /** @param partial what had arrived */
  interrupted(failure: ExchangeFailure, partial: unknown): unknown;
  /** @param what what arrived instead of the answer */
  unreadable(what: string, body?: unknown): unknown;
  /** @param error in the form of an error body */
  inside(error: unknown, found: { partial: unknown; delivered: boolean }): unknown;
}
