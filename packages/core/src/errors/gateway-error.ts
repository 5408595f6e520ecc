import type { VideoTaskHandle } from "../tasks/video-task-handle.js";
import type { AddressKind } from "../transport/address-kind.js";

/** What went wrong, as a closed set: every error class of this package has exactly one kind. */
export type GatewayErrorKind =
  | "configuration"
  | "invalid_request"
  | "budget_exceeded"
  | "budget_unavailable"
  | "bad_request"
  | "authentication"
  | "permission_denied"
  | "not_found"
  | "rate_limit"
  | "server"
  | "api"
  | "connection"
  | "timeout"
  | "aborted"
  | "stream_interrupted"
  | "invalid_response"
  | "invalid_inputs"
  | "video_task_failed"
  | "video_task_timeout";

/** How far one attempt got: nothing was sent, an answer came, or the request left and no answer came. */
export type AttemptPhase = "unsent" | "answered" | "no_answer";

/** One attempt of a call, in the order they were made. */
export interface AttemptRecord {
  address: AddressKind;
  phase: AttemptPhase;
  /** HTTP status, when an answer came. */
  status?: number;
  /** The status that an error inside a successful answer stands for. */
  meaning?: number;
  /** Duration of the attempt in milliseconds. */
  ms: number;
  requestId?: string;
}

/** What is known about the failed call. Never holds the API key, nor the request body. */
export interface GatewayErrorDetails {
  method?: string;
  /** Path below the base address, such as `/chat/completions`. */
  path?: string;
  requestId?: string;
  /** One entry per attempt that was made; empty for errors raised before anything was sent. */
  timeline?: readonly AttemptRecord[];
  /** Whether the same call may be repeated without paying twice and with a chance of success. */
  retryable?: boolean;
  /** A billable request may have been processed although no usable answer came. */
  maybeProcessed?: boolean;
  cause?: unknown;
}

/** The prefix under which every copy of this package, whatever its version, marks its error classes. */
const MARKER_PREFIX = "@model-gateway/core.error.";

/**
 * Gives a class its name, and an `isInstance` that recognises instances made by another copy of this package,
 * where `instanceof` would fail. The marker sits on the prototype: subclasses inherit it.
 */
export function markErrorClass(
  errorClass: { prototype: Error; isInstance: (error: unknown) => boolean },
  name: string,
): void {
  const marker = Symbol.for(MARKER_PREFIX + name);
  // Set here and not by `constructor.name`, which minifiers rewrite.
  const values = { name: { value: name, configurable: true, writable: true }, [marker]: { value: true } };
  Object.defineProperties(errorClass.prototype, values);
  errorClass.isInstance = (error) => typeof error === "object" && error !== null && marker in error;
}

/** Keeps a value reachable by name while `console.log` and `JSON.stringify` leave it out. */
export function defineHidden(target: object, values: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(target, name, { value, enumerable: false, configurable: true });
  }
}

/** Sets the properties that have a value, so that a printed error shows no empty ones. */
export function defineKnown(target: object, values: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined)
      Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  }
}

/**
 * Base of everything this package throws. Use `kind` to branch, `isInstance` instead of `instanceof`
 * where several copies of the package may be installed.
 */
export abstract class GatewayError extends Error {
  abstract readonly kind: GatewayErrorKind;
  declare readonly method?: string;
  /** Path below the base address, such as `/chat/completions`. */
  declare readonly path?: string;
  /** Id the gateway gave the (last) request; quote it when asking for help. */
  declare readonly requestId?: string;
  /** Number of attempts that were made, 0 when nothing was sent. */
  readonly attempts: number;
  readonly timeline: readonly AttemptRecord[];
  readonly retryable: boolean;
  /** True when a billable request may have been carried out although this error was thrown. */
  readonly maybeProcessed: boolean;
  /**
   * What the call had delivered when it failed, not printed with the error: of `embeddings.create` an `EmbeddingResult` of the texts
   * that are embedded and paid for.
   */
  declare readonly partial?: unknown;
  /** The video task the failed call was about, for errors of `videos.watch` and `videos.wait`. */
  declare handle?: VideoTaskHandle;

  constructor(message: string, details: GatewayErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    defineKnown(this, { method: details.method, path: details.path, requestId: details.requestId });
    this.timeline = details.timeline ?? [];
    this.attempts = this.timeline.length;
    this.retryable = details.retryable ?? false;
    this.maybeProcessed = details.maybeProcessed ?? false;
  }

  declare static readonly isInstance: (error: unknown) => error is GatewayError;
}
markErrorClass(GatewayError, "GatewayError");
