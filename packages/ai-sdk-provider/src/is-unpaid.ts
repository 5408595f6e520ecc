import {
  AISDKError,
  APICallError,
  InvalidArgumentError,
  LoadAPIKeyError,
  LoadSettingError,
  TypeValidationError,
  UnsupportedFunctionalityError,
} from "@ai-sdk/provider";
import { GatewayError } from "@model-gateway/core/errors";

/** What is thrown before anything is sent. */
const UNSENT = [
  InvalidArgumentError,
  LoadAPIKeyError,
  LoadSettingError,
  TypeValidationError,
  UnsupportedFunctionalityError,
];

/**
 * Whether an error of a paid call says for sure that nothing was paid: the gateway refused it, or it was never sent. An
 * error that nobody knows, and an abort, say nothing.
 */
export function isUnpaid(error: unknown): boolean {
  if (!AISDKError.isInstance(error)) return false;
  // What the SDK throws when it has given up retrying.
  if ("lastError" in error) return isUnpaid(error.lastError);
  if ("maybeProcessed" in error) return error.maybeProcessed === false;
  if (APICallError.isInstance(error)) {
    return error.isRetryable || (GatewayError.isInstance(error.cause) && !error.cause.maybeProcessed);
  }
  return UNSENT.some((unsent) => unsent.isInstance(error));
}
