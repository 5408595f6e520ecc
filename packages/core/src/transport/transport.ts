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
  /** IP address to connect to in place of what the host's name resolves to by then. */
  connectTo?: string;
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
  /**
   * `unsent` only when it is certain that no byte of the request reached the server; `unusable` for an answer that
   * this transport can never read, however often it comes.
   */
  phase: "unsent" | "no_answer" | "unusable";
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
  /** Whether there is no connection yet, so that nothing can have been sent; false where the transport cannot tell. */
  isConnecting(): boolean;
}

/**
 * The seam under the client: pushes one request and its answer. Transports know nothing of retries, keys,
 * time-outs or JSON, and never follow a redirect.
 */
export interface Transport {
  readonly name: string;
  send(request: TransportRequest, sink: TransportSink): TransportExchange;
  /** Whether names of hosts are resolved on this machine, so that `connectTo` holds. Default no. */
  resolvesHere?(): boolean;
}
