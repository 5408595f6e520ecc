import {
  APIError,
  BudgetExceededError,
  type GatewayError,
  type GatewayErrorKind,
  InvalidRequestError,
} from "@model-gateway/core";
import { HttpException, HttpStatus } from "@nestjs/common";

/**
 * How a failed call to the gateway looks to the clients of this application. What their request caused stays as
 * it was; what our key, our quota or the gateway's health caused is a failure behind this server.
 */
const STATUS_OF_KIND: Record<GatewayErrorKind, HttpStatus> = {
  invalid_request: HttpStatus.BAD_REQUEST,
  bad_request: HttpStatus.BAD_REQUEST,
  invalid_inputs: HttpStatus.BAD_REQUEST,
  not_found: HttpStatus.NOT_FOUND,
  budget_exceeded: HttpStatus.TOO_MANY_REQUESTS,
  rate_limit: HttpStatus.TOO_MANY_REQUESTS,
  configuration: HttpStatus.BAD_GATEWAY,
  authentication: HttpStatus.BAD_GATEWAY,
  permission_denied: HttpStatus.BAD_GATEWAY,
  server: HttpStatus.BAD_GATEWAY,
  api: HttpStatus.BAD_GATEWAY,
  stream_interrupted: HttpStatus.BAD_GATEWAY,
  invalid_response: HttpStatus.BAD_GATEWAY,
  video_task_failed: HttpStatus.BAD_GATEWAY,
  budget_unavailable: HttpStatus.SERVICE_UNAVAILABLE,
  connection: HttpStatus.SERVICE_UNAVAILABLE,
  aborted: HttpStatus.SERVICE_UNAVAILABLE,
  timeout: HttpStatus.GATEWAY_TIMEOUT,
  video_task_timeout: HttpStatus.GATEWAY_TIMEOUT,
};

const TEXTS: Partial<Record<HttpStatus, { error: string; message: string }>> = {
  [HttpStatus.PAYMENT_REQUIRED]: {
    error: "Payment Required",
    message: "The request can cost more than may be spent on it.",
  },
  [HttpStatus.NOT_FOUND]: { error: "Not Found", message: "The model or the task does not exist." },
  [HttpStatus.TOO_MANY_REQUESTS]: {
    error: "Too Many Requests",
    message: "The model gateway asks to slow down. Try again later.",
  },
  [HttpStatus.SERVICE_UNAVAILABLE]: {
    error: "Service Unavailable",
    message: "The model gateway is not available. Try again later.",
  },
  [HttpStatus.GATEWAY_TIMEOUT]: {
    error: "Gateway Timeout",
    message: "The model gateway did not answer in time.",
  },
};
const BUDGET_TEXT = {
  error: "Too Many Requests",
  message: "What may be spent on such requests is used up. Try again later.",
};
const OTHER_TEXT = { error: "Bad Gateway", message: "The model gateway did not serve the request." };

/**
 * The HTTP exception for an error of core, with Nest's usual body. Only of 400 does it repeat what the gateway
 * said; addresses, keys, codes and request ids stay in `cause`.
 */
export function toHttpException(error: GatewayError): HttpException {
  const status = statusOf(error);
  return new HttpException({ statusCode: status, ...textOf(error, status) }, status, { cause: error });
}

function statusOf(error: GatewayError): HttpStatus {
  if (error.kind === "server" && APIError.isInstance(error)) {
    // The gateway's own word on its health is the best there is.
    if (error.status === HttpStatus.SERVICE_UNAVAILABLE) return HttpStatus.SERVICE_UNAVAILABLE;
    if (error.status === HttpStatus.GATEWAY_TIMEOUT) return HttpStatus.GATEWAY_TIMEOUT;
  }
  // No later window has room for it.
  if (BudgetExceededError.isInstance(error) && error.needed > error.limit) return HttpStatus.PAYMENT_REQUIRED;
  return STATUS_OF_KIND[error.kind];
}

function textOf(error: GatewayError, status: HttpStatus): object {
  if (error.kind === "budget_exceeded" && status === HttpStatus.TOO_MANY_REQUESTS) return BUDGET_TEXT;
  if (status !== HttpStatus.BAD_REQUEST) return TEXTS[status] ?? OTHER_TEXT;
  const problems = InvalidRequestError.isInstance(error) ? { problems: error.problems } : {};
  return { error: "Bad Request", message: error.message, ...problems };
}
