import { Answer } from "./answer.js";
/** What an {@link APIError} says beyond its message. */
export interface APIErrorInit {
  status: number;
  code: string;
  headers?: Record<string, string>;
}

/**
 * An answer in the Error body of the API: `{ error: { message, type, code } }`. Thrown anywhere below the
 * route table, it becomes the response of the request.
 *
 * `type` follows from the status, as the API description fixes no values for it.
 */
export class APIError extends Error {
  override readonly name = "APIError";
  readonly status: number;
  readonly code: string;
  readonly headers: Record<string, string>;

  constructor(message: string, { status, code, headers = {} }: APIErrorInit) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }

  /** The Error body. */
  toBody(): { error: { message: string; type: string; code: string } } {
    return { error: { message: this.message, type: errorType(this.status), code: this.code } };
  }

  toAnswer(): Answer {
    return Answer.json(this.toBody(), { status: this.status, headers: this.headers });
  }

  static badRequest(message: string, code = "invalid_parameter"): APIError {
    return new APIError(message, { status: 400, code });
  }

  static notFound(message: string, code = "not_found"): APIError {
    return new APIError(message, { status: 404, code });
  }

  static tooManyRequests(message: string, retryAfterSeconds = 1): APIError {
    return new APIError(message, {
      status: 429,
      code: "rate_limit_exceeded",
      headers: { "retry-after": String(retryAfterSeconds) },
    });
  }
}

function errorType(status: number): string {
  if (status === 401) return "authentication_error";
  if (status === 403) return "permission_error";
  if (status === 429) return "rate_limit_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
}
