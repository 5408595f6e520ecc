import { isIP } from "node:net";
import { APIError } from "../http/api-error.js";

/** Under which names the control API answers beside those of this machine. */
export interface AllowedCallers {
  /** That of the address that is told to others. */
  advertised?: string;
  /** Any IP address: whoever listens for other machines has asked for it, and no page can be made to lead to one. */
  addresses: boolean;
}

/**
 * The names under which this machine reaches its own loopback, from its containers too, and the one that stands for no
 * port.
 */
const LOCAL_NAMES = ["127.0.0.1", "localhost", "[::1]", "emulator.localhost", "host.docker.internal"];

/**
 * The control API asks for no key, so a page in a browser must not reach it: neither from an origin of its own nor
 * under a foreign name that was made to lead to this machine (DNS rebinding).
 *
 * @throws APIError 403 for a request with a foreign `Host` or `Origin`
 */
export function requireLocalCaller(request: Request, url: URL, allowed: AllowedCallers): void {
  const host = request.headers.get("host") ?? url.host;
  for (const name of [hostnameOf(host), url.hostname]) {
    if (name === undefined || !isAllowed(name, allowed)) {
      throw refused(`a request for the host "${name ?? host}"`, "foreign_host");
    }
  }
  const origin = request.headers.get("origin");
  if (origin !== null && origin !== url.origin) {
    throw refused(`a page of the origin "${origin}"`, "foreign_origin");
  }
}

function isAllowed(name: string, { advertised, addresses }: AllowedCallers): boolean {
  if (LOCAL_NAMES.includes(name) || name === advertised) return true;
  return addresses && isIP(name.replace(/^\[|\]$/g, "")) !== 0;
}

function hostnameOf(host: string): string | undefined {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : undefined;
}

function refused(what: string, code: string): APIError {
  return new APIError(
    `The control API does not answer ${what}: it serves this machine under its own names, and what it was told to listen for.`,
    { status: 403, code },
  );
}
