import {
  defineHidden,
  defineKnown,
  GatewayError,
  type GatewayErrorDetails,
  markErrorClass,
} from "./gateway-error.js";

/** An option or environment variable is missing or unusable. Thrown before anything is sent. */
export class ConfigurationError extends GatewayError {
  readonly kind = "configuration";
  /** The option that is missing or wrong, such as `apiKey`; undefined when it is none of them. */
  declare readonly option?: string;

  constructor(message: string, details: GatewayErrorDetails & { option?: string } = {}) {
    super(message, details);
    defineKnown(this, { option: details.option });
  }

  declare static readonly isInstance: (error: unknown) => error is ConfigurationError;
}
markErrorClass(ConfigurationError, "ConfigurationError");

/** One thing wrong with a request body. */
export interface RequestProblem {
  /** Path of the field, such as `messages[0].role`. */
  field: string;
  /** What is allowed, as a sentence fragment: `must be between 0 and 2`. */
  message: string;
  /** The value that was given; left out of messages when it is long. */
  value?: unknown;
}

/** A request breaks a hard limit of the API. Lists every problem; nothing was sent, nothing was paid. */
export class InvalidRequestError extends GatewayError {
  readonly kind = "invalid_request";
  readonly problems: readonly RequestProblem[];

  constructor(problems: readonly RequestProblem[], details: GatewayErrorDetails = {}) {
    const listed = problems.map((problem) => `${problem.field} ${problem.message}`).join("; ");
    super(`The request was not sent: ${listed}.`, details);
    this.problems = problems.map(({ field, message }) => ({ field, message }));
    problems.forEach((problem, index) => {
      // A value can be a prompt or an image: reachable, but not printed with the error.
      if ("value" in problem) defineHidden(this.problems[index] as object, { value: problem.value });
    });
  }

  /** The first offending field. */
  get field(): string | undefined {
    return this.problems[0]?.field;
  }

  declare static readonly isInstance: (error: unknown) => error is InvalidRequestError;
}
markErrorClass(InvalidRequestError, "InvalidRequestError");

/** The gateway could not be reached, or the connection broke before the answer was complete. */
export class APIConnectionError extends GatewayError {
  readonly kind = "connection";
  /** System or transport error code, such as `ECONNREFUSED`. */
  declare readonly code?: string;

  constructor(message: string, details: GatewayErrorDetails & { code?: string } = {}) {
    super(message, details);
    defineKnown(this, { code: details.code });
  }

  declare static readonly isInstance: (error: unknown) => error is APIConnectionError;
}
markErrorClass(APIConnectionError, "APIConnectionError");

/** The client's own `timeout`, `connectTimeout` or `deadline` ran out before the answer was complete. */
export class APITimeoutError extends GatewayError {
  readonly kind = "timeout";
  /** The time that ran out. */
  readonly timeoutMs: number;

  constructor(message: string, details: GatewayErrorDetails & { timeoutMs: number }) {
    super(message, details);
    this.timeoutMs = details.timeoutMs;
  }

  declare static readonly isInstance: (error: unknown) => error is APITimeoutError;
}
markErrorClass(APITimeoutError, "APITimeoutError");

/** The caller aborted the call through its `signal` or through `stream.abort()`. `cause` is the signal's reason. */
export class APIUserAbortError extends GatewayError {
  readonly kind = "aborted";

  declare static readonly isInstance: (error: unknown) => error is APIUserAbortError;
}
markErrorClass(APIUserAbortError, "APIUserAbortError");

/**
 * How a stream broke: connection closed before its end, connection reset, silent for `streamIdleTimeout`, ended by the server in
 * good order before the answer was whole (`unfinished`), still under way at the call's `deadline`, or taken and not read for
 * `streamIdleTimeout` (`unread`).
 */
export type StreamInterruption = "closed" | "reset" | "idle" | "unfinished" | "deadline" | "unread";

/** A stream ended before the answer was complete. `partial` holds what had arrived. */
export class StreamInterruptedError extends GatewayError {
  readonly kind = "stream_interrupted";
  readonly reason: StreamInterruption;
  /** For chat the `ChatCompletion` so far; not printed with the error. */
  declare readonly partial: unknown;

  constructor(
    message: string,
    details: GatewayErrorDetails & { reason: StreamInterruption; partial?: unknown },
  ) {
    super(message, details);
    this.reason = details.reason;
    defineHidden(this, { partial: details.partial });
  }

  declare static readonly isInstance: (error: unknown) => error is StreamInterruptedError;
}
markErrorClass(StreamInterruptedError, "StreamInterruptedError");

/** The gateway answered with something that is not an answer to this call: HTML, broken JSON, missing vectors. */
export class InvalidResponseError extends GatewayError {
  readonly kind = "invalid_response";
  declare readonly status?: number;
  /** The body as it came, shortened to 4 KB when it is text; not printed with the error. */
  declare readonly body: unknown;

  constructor(message: string, details: GatewayErrorDetails & { status?: number; body?: unknown } = {}) {
    super(message, details);
    defineKnown(this, { status: details.status });
    defineHidden(this, {
      body: typeof details.body === "string" ? details.body.slice(0, 4096) : details.body,
    });
  }

  declare static readonly isInstance: (error: unknown) => error is InvalidResponseError;
}
markErrorClass(InvalidResponseError, "InvalidResponseError");
