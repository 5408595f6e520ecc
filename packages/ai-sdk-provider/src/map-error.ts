import {
  AISDKError,
  APICallError,
  InvalidArgumentError,
  InvalidResponseDataError,
  LoadAPIKeyError,
  LoadSettingError,
} from "@ai-sdk/provider";
import { createProviderStreamError } from "@ai-sdk/provider-utils";
import {
  APIError,
  APIUserAbortError,
  ConfigurationError,
  GatewayError,
  InvalidRequestError,
  InvalidResponseError,
} from "@model-gateway/core/errors";

/**
 * The SDK's error for an error of the client. `isRetryable` is the client's own judgement, so the SDK's retries
 * never repeat a paid create whose outcome is unknown. An abort is passed on as the signal's reason: the SDK
 * recognises it by that.
 */
export function toSDKError(error: unknown, baseURL: string): unknown {
  if (!GatewayError.isInstance(error)) return error;
  if (APIUserAbortError.isInstance(error)) {
    return error.cause ?? new DOMException("The call was aborted.", "AbortError");
  }
  if (ConfigurationError.isInstance(error)) {
    // The key's own source has said what is wrong with it.
    if (LoadAPIKeyError.isInstance(error.cause)) return error.cause;
    return error.option === "apiKey"
      ? new LoadAPIKeyError({ message: error.message })
      : new LoadSettingError({ message: error.message });
  }
  if (InvalidRequestError.isInstance(error)) {
    return new InvalidArgumentError({
      argument: error.field ?? "body",
      message: error.message,
      cause: error,
    });
  }
  const answer = APIError.isInstance(error) ? error : undefined;
  const body = answer?.body ?? (InvalidResponseError.isInstance(error) ? error.body : undefined);
  return new APICallError({
    message: error.message,
    url: baseURL + (error.path ?? ""),
    // The request holds the prompt, and errors end up in logs.
    requestBodyValues: {},
    statusCode:
      (answer && statusOf(answer)) ?? (InvalidResponseError.isInstance(error) ? error.status : undefined),
    responseHeaders: answer && { ...answer.headers },
    responseBody: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
    isRetryable: error.retryable,
    data: body,
    cause: error,
  });
}

/** The same for an error inside a stream, where the SDK wants the facts and not an `Error`. */
export function toSDKStreamError(error: unknown, baseURL: string): unknown {
  if (!GatewayError.isInstance(error) || APIUserAbortError.isInstance(error))
    return toSDKError(error, baseURL);
  const answer = APIError.isInstance(error) ? error : undefined;
  return createProviderStreamError({
    message: error.message,
    type: answer?.type ?? error.kind,
    code: answer?.code,
    statusCode: answer && statusOf(answer),
    isRetryable: error.retryable,
    data: answer?.body ?? { kind: error.kind, requestId: error.requestId },
  });
}

/** An error inside an answer that began well has the status that its code says, if it is one. */
function statusOf({ status, code = "" }: APIError): number | undefined {
  if (status > LAST_SUCCESS) return status;
  return /^\d{3}$/.test(code) ? Number(code) : undefined;
}

const LAST_SUCCESS = 299;

/** A tool call that never told the name of its tool. */
export function namelessToolCallError(data: unknown): InvalidResponseDataError {
  return new InvalidResponseDataError({
    data,
    message: "The stream ended with a tool call that has no name; it is dropped.",
  });
}

/**
 * Images that were made and paid for, but could not be fetched: another attempt would make and bill them anew. What the
 * client says of the download says nothing of that, so it is said here.
 */
export function resultDownloadError(cause: unknown, url: string, data: unknown): unknown {
  return afterPaying(
    new APICallError({
      message: `The images were made, but could not be downloaded: ${cause instanceof Error ? cause.message : String(cause)} Their links are in error.data.`,
      url,
      requestBodyValues: {},
      isRetryable: false,
      data,
      cause,
    }),
  );
}

/** Marks the SDK's error of what comes after a paid call, such as a poll: that it cost nothing itself means nothing. */
export function afterPaying(error: unknown): unknown {
  return AISDKError.isInstance(error) ? Object.assign(error, { maybeProcessed: true }) : error;
}
