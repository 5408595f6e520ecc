import type { AddressKind } from "../errors/gateway-error.js";

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

export interface StreamEndEvent extends CallEvent {
  /** From the head to the end. */
  ms: number;
  /** `left`: the reader stopped before the end. */
  outcome: "complete" | "interrupted" | "aborted" | "left";
  requestId?: string;
  usage?: unknown;
}

/** Functions that are told what happens. One that throws disturbs no call: its error goes to the logger. */
export interface GatewayHooks {
  /** An attempt is about to be sent. */
  onRequest?(event: CallEvent): void;
  /** An attempt was answered, with any status. */
  onResponse?(event: ResponseEvent): void;
  /** A failed attempt will be repeated. */
  onRetry?(event: RetryEvent): void;
  /** The next attempt goes to another address. */
  onFailover?(event: FailoverEvent): void;
  /** A stream is over, in whatever way. */
  onStreamEnd?(event: StreamEndEvent): void;
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
  const logs = (wanted: LogLevel) => logger !== undefined && LEVELS.indexOf(wanted) >= LEVELS.indexOf(level);
  if (hooks === undefined && !logs("error")) return undefined;

  const tell = <E extends CallEvent>(
    name: keyof GatewayHooks,
    at: "debug" | "info" | "warn",
    text: (event: E) => string,
  ) => {
    return (event: E) => {
      if (logs(at)) logger?.[at](text(event), event);
      try {
        (hooks?.[name] as ((event: E) => void) | undefined)?.(event);
      } catch (error) {
        if (logs("error")) logger?.error(`The hook ${name} threw: ${String(error)}`);
      }
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
    onStreamEnd: tell<StreamEndEvent>(
      "onStreamEnd",
      "info",
      (event) => `Stream ${event.outcome} after ${event.ms} ms: ${where(event)}`,
    ),
  };
}

export function isLogLevel(value: unknown): value is LogLevel {
  return LEVELS.includes(value as LogLevel);
}
