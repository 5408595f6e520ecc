import type { GatewayErrorKind } from "../errors/gateway-error.js";
import type { AddressKind } from "../transport/address-kind.js";

/** What every event tells: which call, where it went, and which attempt it is. Never a key, a header or a body. */
export interface CallEvent {
  /** The call as written: `chat.completions.create`. */
  call: string;
  method: string;
  /** Path below the base address. */
  path: string;
  address: AddressKind;
  /** 1 for the first. */
  attempt: number;
  /** The model that was asked for, where one was. */
  model?: string;
}

export interface ResponseEvent extends CallEvent {
  status: number;
  /** Until the answer was complete, for streams until its head. */
  ms: number;
  requestId?: string;
  /** Usage as the gateway sent it, when the answer held one. */
  usage?: unknown;
}

export interface RetryEvent extends CallEvent {
  /** What went wrong: `answered 503`, `unsent`, `no_answer`. */
  reason: string;
  /** Wait before the next attempt in milliseconds. */
  delayMs: number;
}

export interface FailoverEvent extends CallEvent {
  /** The address the next attempt goes to. */
  to: AddressKind;
}

/** A call that the caller gets an error of; `attempt` is the number of attempts, 0 where none was made. */
export interface FailureEvent extends CallEvent {
  kind: GatewayErrorKind;
  /** Whether a paid call may have been processed all the same. */
  maybeProcessed: boolean;
  /** HTTP status of the last answer. */
  status?: number;
  requestId?: string;
}

export interface StreamEndEvent extends CallEvent {
  /** From the head to the end. */
  ms: number;
  /** `left`: the reader stopped before the end. */
  outcome: "complete" | "interrupted" | "aborted" | "left";
  requestId?: string;
  usage?: unknown;
}

/** A poll of a video task that failed; the task goes on, and so does its watch. */
export interface PollFailedEvent extends CallEvent {
  /** Id of the task. */
  task: string;
  /** Failed polls in a row, this one included. */
  failedPolls: number;
  /** `kind` and message of the error. */
  reason: string;
  /** Wait before the next poll of this task in milliseconds; undefined where nobody polls again. */
  nextPollMs?: number;
}

/**
 * Functions that are told what happens. One that throws or rejects disturbs no call: it is reported once, to the logger or
 * else to the console.
 */
export interface GatewayHooks {
  /** An attempt is about to be sent. */
  onRequest?(event: CallEvent): void;
  /** An attempt was answered, with any status. */
  onResponse?(event: ResponseEvent): void;
  /** A failed attempt will be repeated. */
  onRetry?(event: RetryEvent): void;
  /** The next attempt goes to another address. */
  onFailover?(event: FailoverEvent): void;
  /** A call failed, and nothing more is tried. Of a stream only what goes wrong before it begins. */
  onFailure?(event: FailureEvent): void;
  /** A stream is over, in whatever way. */
  onStreamEnd?(event: StreamEndEvent): void;
  /** A watch could not read its task; it goes on polling. */
  onPollFailed?(event: PollFailedEvent): void;
}

export type LogLevel = "debug" | "info" | "warn" | "error" | "off";

/** `console` fits, and so do the usual loggers. */
export interface GatewayLogger {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error", "off"];

/** What the transport tells about its work; undefined where nobody listens, so that it costs nothing. */
export type Observer = Required<GatewayHooks>;

/** Joins hooks and logger. @returns undefined when there is neither */
export function createObserver(
  hooks: GatewayHooks | undefined,
  logger: GatewayLogger | undefined,
  level: LogLevel,
): Observer | undefined {
  const logs = (wanted: LogLevel) => logger !== undefined && isWritten(wanted, level);
  if (hooks === undefined && !logs("error")) return undefined;

  const broken = new Set<string>();
  const log = (at: "debug" | "info" | "warn" | "error", text: string, fields?: object) => {
    if (!logs(at) || broken.has("logger")) return false;
    runSafely(
      () => logger?.[at](text, fields),
      (error) => reportOnce("logger", error),
    );
    return true;
  };
  const reportOnce = (name: string, error: unknown) => {
    if (broken.has(name)) return;
    broken.add(name);
    const text = `Model Gateway: the ${name === "logger" ? name : `hook ${name}`} failed: ${describeThrown(error)}`;
    if (!log("error", text)) console.error(text);
  };
  const tell = <E extends object>(
    name: keyof GatewayHooks,
    at: "debug" | "info" | "warn",
    text: (event: E) => string,
    quiet?: (event: E) => boolean,
  ) => {
    return (event: E) => {
      if (!quiet?.(event)) log(at, text(event), event);
      runSafely(
        () => (hooks?.[name] as ((event: E) => unknown) | undefined)?.(event),
        (error) => reportOnce(name, error),
      );
    };
  };
  const where = ({ method, path, address, attempt }: CallEvent) =>
    `${method} ${path} (${address}, attempt ${attempt})`;
  return {
    onRequest: tell("onRequest", "debug", (event) => `→ ${where(event)}`),
    onResponse: tell<ResponseEvent>(
      "onResponse",
      "info",
      (event) => `← ${event.status} in ${event.ms} ms from ${where(event)}`,
    ),
    onRetry: tell<RetryEvent>(
      "onRetry",
      "warn",
      (event) => `${event.reason}, again in ${Math.round(event.delayMs)} ms: ${where(event)}`,
    ),
    onFailover: tell<FailoverEvent>(
      "onFailover",
      "warn",
      (event) => `Failing over to the ${event.to} address: ${where(event)}`,
    ),
    onFailure: tell<FailureEvent>(
      "onFailure",
      "info",
      (event) =>
        `Failed (${event.kind}${event.maybeProcessed ? ", may have been paid" : ""}): ${where(event)}`,
    ),
    onStreamEnd: tell<StreamEndEvent>(
      "onStreamEnd",
      "info",
      (event) => `Stream ${event.outcome} after ${event.ms} ms: ${where(event)}`,
    ),
    onPollFailed: tell<PollFailedEvent>(
      "onPollFailed",
      "warn",
      ({ task, reason }) => `Video task ${task} cannot be read (${reason}). It goes on, and is polled on.`,
      // A line when it begins is enough: polls may go on failing for hours.
      ({ failedPolls }) => failedPolls > 1,
    ),
  };
}

/** A function that writes a line at level `warn`, where that is written. */
export function createWarner(logger: Pick<GatewayLogger, "warn">, level: LogLevel): (text: string) => void {
  return (text) => {
    if (isWritten("warn", level))
      runSafely(
        () => logger.warn(text),
        () => {},
      );
  };
}

/** Runs somebody else's function: what it throws, now or later, is told and not thrown on. */
function runSafely(run: () => unknown, failed: (error: unknown) => void): void {
  try {
    const result = run();
    if (isThenable(result)) result.then(undefined, failed);
  } catch (error) {
    failed(error);
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

/** What somebody threw, which may be anything, as text. */
export function describeThrown(error: unknown): string {
  try {
    return String(error);
  } catch {
    return "it threw something that cannot be printed";
  }
}

function isWritten(wanted: LogLevel, level: LogLevel): boolean {
  return LEVELS.indexOf(wanted) >= LEVELS.indexOf(level);
}

export function isLogLevel(value: unknown): value is LogLevel {
  return LEVELS.includes(value as LogLevel);
}
