import { defineKnown, GatewayError, type GatewayErrorKind, markErrorClass } from "../errors/gateway-error.js";
import type { StreamBreak, StreamEnd } from "./stream-end.js";

/**
 * Why a reader of a stream with a key gets no more of it. The first seven end the stream for every reader, in the same
 * way: the call was `broken` (`kind`, `status` and `code` are core's), was `refused` before anything was paid (the key is
 * free again), `stopped` by `stop()`, `abandoned` by its readers for `graceMs`, `cut` with the process that made it,
 * ended because it was too large (`full`), or its events were `lost` by the store. The others concern one reader: a stream
 * that is `unknown`, of which there is no more than a key, or `busy` with the answer to something else; a store that is `unavailable`; an application that is `closing`.
 */
export type KeyedStreamBreak = StreamBreak | "unknown" | "busy" | "unavailable" | "closing";

interface Meaning {
  kind: GatewayErrorKind;
  message: string;
  maybeProcessed: boolean;
}

const PAID = "What was made of it so far is paid for";
const MEANINGS: Record<KeyedStreamBreak, Meaning> = {
  broken: { kind: "api", message: "The call failed.", maybeProcessed: true },
  refused: { kind: "api", message: "The call was refused.", maybeProcessed: false },
  stopped: { kind: "aborted", message: `The stream was stopped. ${PAID}.`, maybeProcessed: true },
  abandoned: {
    kind: "stream_interrupted",
    message: `Nobody read the stream for graceMs, and its call was aborted. ${PAID}: ask again under another key.`,
    maybeProcessed: true,
  },
  cut: {
    kind: "stream_interrupted",
    message: `The process that made the call ended, and the stream was cut. ${PAID}: ask again under another key.`,
    maybeProcessed: true,
  },
  full: {
    kind: "invalid_response",
    message:
      `The stream is larger than maxStreamBytes or than its store has room for, and its call was aborted. ` +
      `${PAID}: raise the limit before you ask again under another key.`,
    maybeProcessed: true,
  },
  lost: {
    kind: "stream_interrupted",
    message: `The store lost events of the stream. ${PAID}: ask again under another key.`,
    maybeProcessed: true,
  },
  unknown: {
    kind: "not_found",
    message: "There is no such stream any more, and a reader that comes back pays for no new one.",
    maybeProcessed: false,
  },
  busy: {
    kind: "bad_request",
    message:
      "The stream with this key runs, and answers another request. Nothing was sent, and nothing paid: read it, or stop " +
      "it, before you ask anew.",
    maybeProcessed: false,
  },
  unavailable: {
    kind: "connection",
    message: "The store of streams does not answer. A stream that runs goes on; read it again by its key.",
    maybeProcessed: false,
  },
  closing: {
    kind: "aborted",
    message: "The application is closing. Read the stream again by its key.",
    maybeProcessed: false,
  },
};

/** A reader of a stream with a key gets no more of it; `reason` says why. */
export class KeyedStreamError extends GatewayError {
  readonly kind: GatewayErrorKind;
  readonly reason: KeyedStreamBreak;
  /** HTTP status of the gateway's answer, where there was one. */
  declare readonly status?: number;
  /** Of a call that failed: core's error, such as `RateLimitError`. */
  declare readonly errorName?: string;
  declare readonly code?: string;
  /** Of this end as an event, where it is the end for every reader. */
  declare readonly eventId?: string;

  constructor(
    reason: KeyedStreamBreak,
    { problem, eventId, cause }: Pick<StreamEnd, "problem"> & { eventId?: string; cause?: unknown } = {},
  ) {
    const { kind, message, maybeProcessed } = problem ?? MEANINGS[reason];
    super(message, {
      maybeProcessed,
      retryable: problem?.retryable ?? false,
      ...(problem?.requestId !== undefined && { requestId: problem.requestId }),
      ...(cause !== undefined && { cause }),
    });
    this.kind = kind;
    this.reason = reason;
    const { status, code, name: errorName } = problem ?? {};
    defineKnown(this, { status, code, errorName, eventId });
  }

  declare static readonly isInstance: (error: unknown) => error is KeyedStreamError;
}
markErrorClass(KeyedStreamError, "KeyedStreamError");
