import {
  defineHidden,
  defineKnown,
  GatewayError,
  type GatewayErrorDetails,
  type GatewayErrorKind,
  markErrorClass,
} from "./gateway-error.js";

/** What an error answer carried. */
export interface APIErrorDetails extends GatewayErrorDetails {
  status: number;
  code?: string;
  type?: string;
  /** Response headers, names in lower case. */
  headers?: Readonly<Record<string, string>>;
  /** Parsed body, or its text when it is not JSON. */
  body?: unknown;
  /** Wait the gateway asked for, in milliseconds. */
  retryAfterMs?: number;
  /** What a stream had delivered when it reported the error. */
  partial?: unknown;
}

/**
 * The gateway answered with an error (API description, Errors). The subclass follows from the status;
 * a status without a class of its own is an `APIError`.
 */
export class APIError extends GatewayError {
  readonly kind: GatewayErrorKind = "api";
  /** HTTP status of the answer; 200 when the error came in a successful answer or inside a stream. */
  readonly status: number;
  /** The gateway's `error.code`, always as a string; `model_not_found` is the only documented one. */
  declare readonly code?: string;
  declare readonly type?: string;
  /** Wait the gateway asked for in `Retry-After`, in milliseconds. */
  declare readonly retryAfterMs?: number;
  /** Response headers, names in lower case; not printed with the error. */
  declare readonly headers: Readonly<Record<string, string>>;
  /** The body as it came; may quote the request, so it is not printed with the error. */
  declare readonly body: unknown;
  /** What a stream had delivered when it reported the error; not printed with the error. */
  declare readonly partial: unknown;

  constructor(message: string, details: APIErrorDetails) {
    super(message, details);
    this.status = details.status;
    defineKnown(this, { code: details.code, type: details.type, retryAfterMs: details.retryAfterMs });
    defineHidden(this, { headers: details.headers ?? {}, body: details.body, partial: details.partial });
  }

  declare static readonly isInstance: (error: unknown) => error is APIError;
}
markErrorClass(APIError, "APIError");

/** 400 and 422: a parameter is wrong for the model. Repeating the call gives the same answer. */
export class BadRequestError extends APIError {
  override readonly kind = "bad_request";

  declare static readonly isInstance: (error: unknown) => error is BadRequestError;
}
markErrorClass(BadRequestError, "BadRequestError");

/** 401: the key is missing, malformed, deleted, disabled or expired. */
export class AuthenticationError extends APIError {
  override readonly kind = "authentication";

  declare static readonly isInstance: (error: unknown) => error is AuthenticationError;
}
markErrorClass(AuthenticationError, "AuthenticationError");

/** 403, or an exhausted quota whatever the status: balance, token-group quota or model permission is insufficient. */
export class PermissionDeniedError extends APIError {
  override readonly kind = "permission_denied";
  /** True when the answer speaks of balance or quota, and not of a model the key may not use. */
  readonly insufficientQuota: boolean;

  constructor(message: string, details: APIErrorDetails & { insufficientQuota?: boolean }) {
    super(message, details);
    this.insufficientQuota = details.insufficientQuota ?? false;
  }

  declare static readonly isInstance: (error: unknown) => error is PermissionDeniedError;
}
markErrorClass(PermissionDeniedError, "PermissionDeniedError");

/** 404, or code `model_not_found` whatever the status: wrong base address, path, model or task id. */
export class NotFoundError extends APIError {
  override readonly kind = "not_found";

  declare static readonly isInstance: (error: unknown) => error is NotFoundError;
}
markErrorClass(NotFoundError, "NotFoundError");

/** 429: too many submissions or polls. `retryAfterMs` is the wait the gateway asked for, when it did. */
export class RateLimitError extends APIError {
  override readonly kind = "rate_limit";

  declare static readonly isInstance: (error: unknown) => error is RateLimitError;
}
markErrorClass(RateLimitError, "RateLimitError");

/** 5xx: the gateway or the model behind it failed. */
export class InternalServerError extends APIError {
  override readonly kind = "server";

  declare static readonly isInstance: (error: unknown) => error is InternalServerError;
}
markErrorClass(InternalServerError, "InternalServerError");
