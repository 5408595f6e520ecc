import type {
  CallEvent,
  FailoverEvent,
  FailureEvent,
  PollFailedEvent,
  ResponseEvent,
  RetryEvent,
  StreamEndEvent,
} from "@model-gateway/core";

/**
 * What core's hooks tell of a call, as one union. Plain JSON; never a key, a header or a body.
 * - `request`: an attempt is about to be sent
 * - `response`: an attempt was answered, with any status; with the usage, when the answer held one
 * - `retry`: a failed attempt will be repeated
 * - `failover`: the next attempt goes to another address
 * - `failure`: a call failed, and nothing more is tried
 * - `stream_end`: a stream is over, in whatever way; with its usage, when it told one
 * - `poll_failed`: a video task cannot be read at the moment; it goes on, and is polled on
 */
export type MetricsEvent =
  | ({ type: "request" } & CallEvent)
  | ({ type: "response" } & ResponseEvent)
  | ({ type: "retry" } & RetryEvent)
  | ({ type: "failover" } & FailoverEvent)
  | ({ type: "failure" } & FailureEvent)
  | ({ type: "stream_end" } & StreamEndEvent)
  | ({ type: "poll_failed" } & PollFailedEvent);
