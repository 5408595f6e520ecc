const MAX_STRING_LENGTH = 4_096;

/** A copy for the records: a reference picture inside a request can be megabytes of Base64. */
export function abridge<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_name, inner: unknown) =>
    typeof inner === "string" && inner.length > MAX_STRING_LENGTH
      ? `${inner.slice(0, MAX_STRING_LENGTH)}… (${inner.length} characters)`
      : inner,
  ) as T;
}
