import type { GatewayErrorKind } from "../errors/gateway-error.js";
import type { KeyedStreamBreak, KeyedStreamError } from "../resumable/keyed-stream-error.js";

/** What a reader may know of an error: nothing of the server's key, quota, addresses or code. */
export interface StreamFailure {
  /** HTTP status, where it is not too late for one. */
  status: number;
  message: string;
}

const STATUS_OF_REASON: Record<Exclude<KeyedStreamBreak, "broken" | "refused">, number> = {
  stopped: 409,
  abandoned: 502,
  cut: 502,
  full: 502,
  lost: 502,
  unknown: 404,
  busy: 409,
  unavailable: 503,
  closing: 503,
};

const STATUS_OF_KIND: Partial<Record<GatewayErrorKind, number>> = {
  invalid_request: 400,
  bad_request: 400,
  not_found: 404,
  rate_limit: 429,
  budget_exceeded: 429,
  budget_unavailable: 503,
  connection: 503,
  aborted: 503,
  timeout: 504,
};

const MESSAGES: Record<number, string> = {
  404: "The model does not exist.",
  429: "The model gateway asks to slow down. Try again later.",
  503: "The model gateway is not available. Try again later.",
  504: "The model gateway did not answer in time.",
};

const OUT_OF_BUDGET = "What may be spent on such requests is used up. Try again later.";

/** Only of what the reader asked wrongly does it repeat what the gateway said. */
export function failureOf(error: KeyedStreamError): StreamFailure {
  const { reason, kind, message, maybeProcessed } = error;
  if (reason !== "broken" && reason !== "refused") return { status: STATUS_OF_REASON[reason], message };
  const status = STATUS_OF_KIND[kind] ?? 502;
  if (status === 400) return { status, message };
  const paid = maybeProcessed ? " What was made of it may be paid for." : " Nothing was paid.";
  if (kind === "budget_exceeded") return { status, message: OUT_OF_BUDGET + paid };
  return { status, message: (MESSAGES[status] ?? "The model gateway did not serve the request.") + paid };
}
