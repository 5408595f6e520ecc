import { createHash } from "node:crypto";

/** A text that is equal for equal requests and no others. Bytes in them count by their SHA-256. */
export function requestKey(request: object): string {
  return JSON.stringify(request, (_, value: unknown) =>
    value instanceof Uint8Array ? createHash("sha256").update(value).digest("base64") : value,
  );
}
