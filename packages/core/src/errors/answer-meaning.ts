import {
  APIError,
  type APIErrorDetails,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from "./api-error.js";
import type { ErrorBody } from "./read-error-body.js";

/** Codes and types that mean: no money left on this key. Repeating the call cannot help, whatever the status. */
const QUOTA_CODES = new Set([
  "insufficient_quota",
  "insufficient_user_quota",
  "pre_consume_token_quota_failed",
  "quota_exceeded",
  "quotaexceeded",
  "budget_exceeded",
  "accountoverdueerror",
  "arrearage",
  "billing_hard_limit_reached",
  // A video upstream's numbers for arrears and for an emptied resource pack.
  "1101",
  "1102",
]);
/** Codes that mean: there is no such thing, whatever the status. Routes of tasks answer 400 so, and groups without the model 503. */
const NOT_FOUND_CODES = new Set(["model_not_found", "task_not_exist"]);
const QUOTA_WORDS = /额度|余额|欠费|\bquota\b|\bbalance\b|insufficient (credit|fund)/i;

/** What an error means, as a status: its own, or for errors inside a successful answer the one it stands for. */
export function meaningOf(status: number, body: ErrorBody): number {
  if (NOT_FOUND_CODES.has(body.code ?? "")) return 404;
  if (isQuotaExhausted(status, body)) return 403;
  if (status >= 400) return status;
  const code = Number(body.code);
  if (code >= 400 && code < 600) return code;
  const type = body.type ?? "";
  if (/rate_limit|throttl/i.test(type)) return 429;
  if (/authentication/i.test(type)) return 401;
  if (/permission/i.test(type)) return 403;
  if (/invalid_request/i.test(type)) return 400;
  if (/server_error|api_error|upstream_error|overloaded/i.test(type)) return 500;
  return status;
}

export function isQuotaExhausted(status: number, { code, type, message }: ErrorBody): boolean {
  if (QUOTA_CODES.has((code ?? "").toLowerCase()) || QUOTA_CODES.has((type ?? "").toLowerCase())) return true;
  // A used-up token quota is also answered with 401, and then only the sentence tells.
  return status === 402 || ((status === 401 || status === 403) && QUOTA_WORDS.test(message ?? ""));
}

/** The error class for what an answer means. */
export function classOf(
  meaning: number,
): new (
  message: string,
  details: APIErrorDetails & { insufficientQuota?: boolean },
) => APIError {
  return CLASSES[meaning] ?? (meaning >= 500 ? InternalServerError : APIError);
}

const CLASSES: Record<number, ReturnType<typeof classOf>> = {
  400: BadRequestError,
  422: BadRequestError,
  401: AuthenticationError,
  403: PermissionDeniedError,
  404: NotFoundError,
  429: RateLimitError,
};
