/** One HTTP request, ready to be written. */
export interface TransportRequest {
  method: string;
  /** Scheme, host and port: `http://127.0.0.1:4010`. */
  origin: string;
  /** Path and query, starting with `/`. */
  path: string;
  /** Names in lower case. The transport may add its own headers to the object. */
  headers: Record<string, string>;
  body?: string | Uint8Array | Blob | AsyncIterable<Uint8Array>;
}

/** Response headers, looked up without building an object of them all. */
export interface ResponseHeaders {
  /** @param name in lower case */
  get(name: string): string | undefined;
  /** All headers, names in lower case; repeated headers are joined with `, `. */
  toRecord(): Record<string, string>;
}

/** Why an exchange failed before it was complete. */
export interface TransportFailure {
  /** `unsent` only when it is certain that no byte of the request reached the server. */
  phase: "unsent" | "no_answer";
  code?: string;
  cause: unknown;
}

/** Receives an exchange as it happens. After `end` or `failed` nothing more is called. */
export interface TransportSink {
  head(status: number, headers: ResponseHeaders): void;
  /** @returns false to ask for a pause until `resume` */
  data(chunk: Uint8Array): boolean;
  end(): void;
  failed(failure: TransportFailure): void;
}

/** A running exchange. */
export interface TransportExchange {
  /** Closes the connection; the sink hears nothing more. */
  abort(): void;
  resume(): void;
}

/**
 * The seam under the client: pushes one request and its answer. Transports know nothing of retries, keys,
 * time-outs or JSON, and never follow a redirect.
 */
export interface Transport {
  readonly name: string;
  send(request: TransportRequest, sink: TransportSink): TransportExchange;
}

/** Codes of failures in which the request certainly did not reach the server. */
const UNSENT_CODES = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "UND_ERR_CONNECT_TIMEOUT",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "CERT_HAS_EXPIRED",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "ERR_SSL_WRONG_VERSION_NUMBER",
]);

/** First error code found along the chain of causes (`fetch` wraps the system error once or twice). */
export function findErrorCode(error: unknown): string | undefined {
  let current: unknown = error;
  for (let depth = 0; depth < 5 && typeof current === "object" && current !== null; depth++) {
    const { code, cause, errors } = current as { code?: unknown; cause?: unknown; errors?: unknown };
    if (typeof code === "string") return code;
    // A host with several addresses fails with an AggregateError, one error per address.
    current = cause ?? (Array.isArray(errors) ? errors[0] : undefined);
  }
  return undefined;
}

export function isUnsentCode(code: string | undefined): boolean {
  return code !== undefined && UNSENT_CODES.has(code);
}
