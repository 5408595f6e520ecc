/** Why an attempt gave no answer. Internal: `call/call-errors.ts` turns it into a public error. */
export type ExchangeFailure =
  | { kind: "unsent" | "reset" | "unusable"; code?: string; cause: unknown }
  /** The time for an answer, for a connection, or for the whole call is over. */
  | { kind: "timeout"; limit: TimeLimit; limitMs: number; sent: boolean }
  | { kind: "idle" }
  /** The caller took a stream and never read it. */
  | { kind: "unread" }
  | { kind: "aborted"; cause: unknown; sent: boolean }
  | { kind: "closed" }
  /** The server ended a stream in good order, before its answer was whole. */
  | { kind: "unfinished" }
  | { kind: "too_large"; limit: number }
  /** A stream reader threw: the error is public already. */
  | { kind: "reader"; cause: unknown };

/** Which of its limits an attempt reached: `timeout`, `connectTimeout` or `deadline`. */
export type TimeLimit = "timeout" | "connect" | "deadline";
