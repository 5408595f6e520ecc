import { createHash } from "node:crypto";
import type { RecordedRequest } from "./call-recording.js";

/** The same for requests that ask for the same, in whatever order they name it. */
export function matchKey(request: RecordedRequest): string {
  return createHash("sha256")
    .update(JSON.stringify(sorted(request)))
    .digest("hex");
}

/** A copy with the members of all objects in order. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted((value as Record<string, unknown>)[name])]));
}
