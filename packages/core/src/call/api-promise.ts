/** What `withResponse()` adds to the result of a call. */
export interface WithResponse<T> {
  data: T;
  response: GatewayResponse;
  /** Id the gateway gave the request, when it gave one. */
  requestId: string | undefined;
  /** Number of attempts, 1 when the first succeeded. */
  attempts: number;
}

/** Head of the answer that the result was read from. */
export interface GatewayResponse {
  status: number;
  headers: Headers;
  url: string;
}

/**
 * The promise that every call returns. Await it for the result, or call `withResponse()` for the result with
 * its head, request id and number of attempts. The request is sent at once, whether or not anybody awaits.
 */
export class APIPromise<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = "Promise";

  // A plain `Promise` subclass would create a second promise per call, whose rejection nobody handles when only
  // `withResponse()` is used.
  constructor(private readonly outcome: Promise<WithResponse<T>>) {}

  withResponse(): Promise<WithResponse<T>> {
    return this.outcome;
  }

  // biome-ignore lint/suspicious/noThenProperty: this class is a promise.
  then<R1 = T, R2 = never>(
    onFulfilled?: ((value: T) => R1 | PromiseLike<R1>) | null,
    onRejected?: ((reason: unknown) => R2 | PromiseLike<R2>) | null,
  ): Promise<R1 | R2> {
    return this.outcome.then(({ data }) => data).then(onFulfilled, onRejected);
  }

  catch<R = never>(onRejected?: ((reason: unknown) => R | PromiseLike<R>) | null): Promise<T | R> {
    return this.then(undefined, onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<T> {
    return this.then().finally(onFinally);
  }

  /** A call whose result is made from this one's. */
  map<R>(transform: (data: T) => R): APIPromise<R> {
    return new APIPromise(this.outcome.then((result) => ({ ...result, data: transform(result.data) })));
  }
}
