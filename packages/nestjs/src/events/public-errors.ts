import { GatewayError } from "@model-gateway/core";
import { catchError, type MonoTypeOperatorFunction, throwError } from "rxjs";
import { toHttpException } from "../errors/to-http-exception.js";

/**
 * Makes errors of the gateway HTTP exceptions. Once a stream has begun no exception filter is asked, and Nest 11
 * sends the message of whatever error ends it.
 */
export function publicErrors<T>(): MonoTypeOperatorFunction<T> {
  return catchError((error: unknown) =>
    throwError(() => (GatewayError.isInstance(error) ? toHttpException(error) : error)),
  );
}
