/** Codes of failures in which the request certainly did not reach the server, whatever the system was doing. */
const UNSENT_CODES = new Set<unknown>([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "CERT_HAS_EXPIRED",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "ERR_SSL_WRONG_VERSION_NUMBER",
  // Bun's.
  "ConnectionRefused",
  "FailedToOpenSocket",
  "UnableToConnect",
]);

/**
 * Codes that mean the same while a connection is made. The kernel reports them of an established connection too, when
 * the way to the server is lost: then the request may have arrived.
 */
const UNSENT_WHILE_CONNECTING = new Set<unknown>([
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "ETIMEDOUT",
]);

/** How runtimes whose errors have no code say that no connection came about: Deno, workerd. */
const UNSENT_MESSAGES = [
  "client error (Connect)",
  "dns error",
  "connect(): Connection refused",
  "DNS lookup failed",
];

interface SystemError {
  code?: unknown;
  syscall?: unknown;
  message?: unknown;
  cause?: unknown;
  errors?: unknown;
}

/** An error and its causes, outermost first (`fetch` wraps the system error once or twice). */
function causesOf(error: unknown): SystemError[] {
  const causes: SystemError[] = [];
  let current: unknown = error;
  while (causes.length < 5 && typeof current === "object" && current !== null) {
    const found = current as SystemError;
    causes.push(found);
    // A host with several addresses fails with an AggregateError, one error per address.
    current = found.cause ?? (Array.isArray(found.errors) ? found.errors[0] : undefined);
  }
  return causes;
}

/** First error code found along the chain of causes. */
export function findErrorCode(error: unknown): string | undefined {
  const code = causesOf(error).find((cause) => typeof cause.code === "string")?.code;
  return code as string | undefined;
}

/** Whether an error says that no byte of the request reached the server. In doubt it did. */
export function isUnsentError(error: unknown): boolean {
  return causesOf(error).some(({ code, syscall, message }) => {
    if (UNSENT_CODES.has(code)) return true;
    if (UNSENT_WHILE_CONNECTING.has(code)) return syscall === "connect";
    return typeof message === "string" && UNSENT_MESSAGES.some((words) => message.includes(words));
  });
}
