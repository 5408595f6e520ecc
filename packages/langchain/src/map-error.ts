import {
  ContextOverflowError,
  LangChainError,
  type LangChainErrorCodes,
  stampRetryable,
} from "@langchain/core/errors";
import { APIError, GatewayError, type GatewayErrorKind } from "@model-gateway/core";

/** LangChain's names for the kinds that it knows; the others keep only their own class. */
const ERROR_CODES: Partial<Record<GatewayErrorKind, LangChainErrorCodes>> = {
  authentication: "MODEL_AUTHENTICATION",
  not_found: "MODEL_NOT_FOUND",
  rate_limit: "MODEL_RATE_LIMIT",
};

const CONTEXT_OVERFLOW_CODE = /context_length|context_window|prompt_too_long/i;
const CONTEXT_OVERFLOW_TEXT =
  /maximum context length|context (length|window) (is |was )?exceed|exceeds? the (model's )?context|prompt is too long/i;
const TOOL_CHOICE_TEXT = /tool[_ ]choice/i;
const TOOL_CHOICE_HINT =
  "Some models, thinking ones above all, cannot be made to call a tool: set forcedToolChoice: false, or use another " +
  'method of withStructuredOutput, such as "jsonSchema" or "prompt".';
const TOOL_RESULTS_TEXT = /tool_calls?\b.*\b(must be|follow|preced|respon)|tool_call_id/i;

/**
 * Prepares an error of the gateway client for LangChain: the same error object, so that its class, `kind`,
 * `requestId` and the rest stay, with `lc_error_code` where LangChain has a name for it and with the retryable
 * mark that every retry layer of LangChain reads.
 *
 * Two are replaced, because LangChain and its middleware look for a class of their own: an abort becomes the
 * signal's reason (an `AbortError` or `TimeoutError`, as from any other runnable), and an input that is longer
 * than the model's context becomes a `ContextOverflowError` whose `cause` is the gateway's error.
 */
export function toLangChainError(error: unknown, signal?: AbortSignal): unknown {
  const aborted = GatewayError.isInstance(error) && error.kind === "aborted";
  if (aborted || (signal?.aborted && error === signal.reason)) return abortError(error, signal);
  if (LangChainError.isInstance(error) || !GatewayError.isInstance(error)) return error;
  if (isContextOverflow(error)) return toContextOverflow(error);
  stampRetryable(error, error.retryable);
  if (error.kind === "bad_request" && TOOL_CHOICE_TEXT.test(error.message)) addHint(error, TOOL_CHOICE_HINT);
  const code = ERROR_CODES[error.kind] ?? (isToolResultsError(error) ? "INVALID_TOOL_RESULTS" : undefined);
  return code === undefined ? error : Object.assign(error, { lc_error_code: code });
}

/** An error passes by here more than once. */
function addHint(error: GatewayError, hint: string): void {
  if (!error.message.includes(hint)) error.message = `${error.message} ${hint}`;
}

/** The signal's reason, which may be anything, as an error. */
function abortError(cause: unknown, signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  if (reason instanceof Error) return stampRetryable(reason, false);
  const message = typeof reason === "string" ? reason : "The call was aborted.";
  return stampRetryable(Object.assign(new Error(message, { cause }), { name: "AbortError" }), false);
}

function isContextOverflow(error: GatewayError): boolean {
  if (error.kind !== "bad_request") return false;
  const code = APIError.isInstance(error) ? (error.code ?? "") : "";
  return CONTEXT_OVERFLOW_CODE.test(code) || CONTEXT_OVERFLOW_TEXT.test(error.message);
}

function toContextOverflow(error: GatewayError): ContextOverflowError {
  const { kind, requestId, attempts } = error;
  const facts = APIError.isInstance(error) ? { status: error.status, code: error.code } : {};
  return Object.assign(ContextOverflowError.fromError(error), {
    lc_error_code: "CONTEXT_OVERFLOW",
    kind,
    requestId,
    attempts,
    ...facts,
  });
}

function isToolResultsError(error: GatewayError): boolean {
  return error.kind === "bad_request" && TOOL_RESULTS_TEXT.test(error.message);
}
