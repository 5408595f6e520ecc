import { ConfigurationError } from "../errors/errors.js";

/** Headers that say how a request is carried, not what it is: with a wrong one nobody can tell whether it arrived. */
const CONNECTION_HEADERS = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** @returns the headers with lower-case names and without unset values */
export function checkHeaders(
  headers: Record<string, string | undefined> | undefined,
): Record<string, string> {
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (value === undefined || value === null) continue;
    const lower = name.toLowerCase();
    if (CONNECTION_HEADERS.has(lower)) {
      throw new ConfigurationError(
        `The header ${JSON.stringify(name)} belongs to the connection, which the client looks after: leave it out.`,
        { option: "headers" },
      );
    }
    if (lower === "authorization") {
      throw new ConfigurationError("The authorization header is made from the key: use the option apiKey.", {
        option: "headers",
      });
    }
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(lower) || /[\r\n\0]/.test(value)) {
      throw new ConfigurationError(
        `The header ${JSON.stringify(name)} has a name or value that HTTP does not allow.`,
        { option: "headers" },
      );
    }
    checked[lower] = value;
  }
  return checked;
}
