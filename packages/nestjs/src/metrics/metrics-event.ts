import type {
  CallEvent,
  Cost,
  FailoverEvent,
  FailureEvent,
  PollFailedEvent,
  ResponseEvent,
  RetryEvent,
  StreamEndEvent,
} from "@model-gateway/core";

/** A video task of the module that cannot be read since its last poll, or for another reason than before. */
export interface VideoStalledEvent {
  /** Of the submission. */
  key: string;
  /** Id of the task at the gateway. */
  task: string;
  /** `kind` of core's error, or `other`. */
  kind: string;
  /** Polls that failed in a row. */
  failedPolls: number;
  /** When the first of them failed, in milliseconds since the epoch. */
  since: number;
}

/** A video task of the module that can be read again. */
export interface VideoResumedEvent {
  /** Of the submission. */
  key: string;
  /** Id of the task at the gateway. */
  task: string;
  /** Polls that failed in a row. */
  failedPolls: number;
  /** For how long it could not be read, in milliseconds. */
  ms: number;
}

/** What came of a call of a handler. */
export interface VideoDeliveryEvent {
  /** Of the submission. */
  key: string;
  /** Name of the handler. */
  handler: string;
  /** Of the submission, when it became due. */
  status: string;
  /** 1 at the first attempt. */
  attempt: number;
  /** `threw`: it is called again; `dead`: it is not, before somebody asks for it. */
  outcome: "delivered" | "threw" | "dead";
}

/** What a call has cost, where the module has the option `prices`. */
export interface CostEvent {
  /** The call as written: `chat.completions.create`; of a video task `videos.retrieve`, which saw that it succeeded. */
  call: string;
  /** The model that was asked for. */
  model?: string;
  cost: Cost;
  /** Option `budgetTag` of the call. */
  tag?: string;
  /** Id of the video task at the gateway. */
  task?: string;
  requestId?: string;
}

/**
 * What core's hooks tell of a call, and what polling tells of video tasks, as one union. Plain JSON; never an API key, a
 * header or a body.
 * - `request`: an attempt is about to be sent
 * - `response`: an attempt was answered, with any status; with the usage, when the answer held one
 * - `retry`: a failed attempt will be repeated
 * - `failover`: the next attempt goes to another address
 * - `failure`: a call failed, and nothing more is tried
 * - `stream_end`: a stream is over, in whatever way; with its usage, when it told one
 * - `cost`: what a call has cost: told once it is known, of a stream when it is whole, of a video task when a process first
 *   reads that it succeeded; texts that go in several requests tell of each
 * - `poll_failed`: a video task cannot be read at the moment; it goes on, and is polled on. Told of each such poll
 * - `video_stalled`: a submitted task cannot be read: told when that begins, and when the kind of its problem changes, by the
 *   process that polled it
 * - `video_resumed`: it can be read again
 * - `video_delivery`: a handler of `@OnVideo` returned or failed, told by the process that called it
 */
export type MetricsEvent =
  | ({ type: "request" } & CallEvent)
  | ({ type: "response" } & ResponseEvent)
  | ({ type: "retry" } & RetryEvent)
  | ({ type: "failover" } & FailoverEvent)
  | ({ type: "failure" } & FailureEvent)
  | ({ type: "stream_end" } & StreamEndEvent)
  | ({ type: "cost" } & CostEvent)
  | ({ type: "poll_failed" } & PollFailedEvent)
  | ({ type: "video_stalled" } & VideoStalledEvent)
  | ({ type: "video_resumed" } & VideoResumedEvent)
  | ({ type: "video_delivery" } & VideoDeliveryEvent);
