import { APIError } from "../http/api-error.js";

/** The names under which this machine reaches its own loopback, and the one that stands for no port. */
const LOCAL_NAMES = ["127.0.0.1", "localhost", "[::1]", "emulator.localhost"];

/**
 * The control API asks for no key, so a page in a browser must not reach it: neither from an origin of its own nor
 * under a foreign name that was made to lead to this machine (DNS rebinding).
 *
 * @throws APIError 403 for a request with a foreign `Host` or `Origin`
 */
export function requireLocalCaller(request: Request, url: URL): void {
  const host = request.headers.get("host") ?? url.host;
  for (const name of [hostnameOf(host), url.hostname]) {
    if (name === undefined || !LOCAL_NAMES.includes(name)) {
      throw refused(`a request for the host "${name ?? host}"`, "foreign_host");
    }
  }
  const origin = request.headers.get("origin");
  if (origin !== null && origin !== url.origin) {
    throw refused(`a page of the origin "${origin}"`, "foreign_origin");
  }
}

function hostnameOf(host: string): string | undefined {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : undefined;
}

function refused(what: string, code: string): APIError {
  return new APIError(
    `The control API does not answer ${what}: it serves this machine only, at its loopback address.`,
    { status: 403, code },
  );
}
