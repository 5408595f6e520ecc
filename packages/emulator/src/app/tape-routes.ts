import type { Route } from "../api/exchange.js";
import type { Services } from "../api/services.js";
import type { Answer } from "../http/answer.js";
import { APIError } from "../http/api-error.js";
import { splitBasePath } from "../http/base-kinds.js";
import { fileResponse } from "../media/file-response.js";
import type { Tape } from "../recordings/tape.js";
import { LINK_PREFIX } from "../recordings/upstream-links.js";
import { answerRoute, noSuchEndpoint } from "./answer-route.js";
import { type ObservedRequest, observeRequest } from "./observe-request.js";
import type { Handler, Router } from "./router.js";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Serves the files that answers lead to. @param current as of `buildApp` */
export function addLinkedFiles(router: Router, current: () => Services, tape: Tape): void {
  router.on("GET", `${LINK_PREFIX}:id/:name`, (request) =>
    observeRequest(current(), request, (observed) => serveLinkedFile(tape, observed)),
  );
}

/** Answers each path that the API does not have: an upstream may know it. @param current as of `buildApp` */
export function taped(current: () => Services): Handler {
  return (request) => {
    const services = current();
    return observeRequest(services, request, (observed) => {
      const { url } = observed;
      if (!METHODS.includes(request.method)) throw noSuchEndpoint(request, url);
      const { base } = splitBasePath(url.pathname);
      return answerRoute(services, anyRoute(request.method), { ...observed, base: base ?? "general" }, {});
    });
  };
}

/** A path that the emulator itself does not serve. */
function anyRoute(method: string): Route {
  return {
    method: method as Route["method"],
    path: "*",
    handle: ({ request, url }) => {
      throw noSuchEndpoint(request, url);
    },
  };
}

/** Whole, or the range that is asked for: it is recorded once, whole. */
async function serveLinkedFile(
  tape: Tape,
  { request, url, token, entry, signal }: ObservedRequest,
): Promise<Answer> {
  const answer = await tape.answer({
    ...{ method: "GET", path: url.pathname, query: new URLSearchParams(), origin: url.origin },
    ...{ contentType: null, accept: null, bytes: new Uint8Array(), body: undefined, isForm: false },
    ...{ token, signal },
    explain: (...lines) => {
      entry.why = [...(entry.why ?? []), ...lines];
    },
  });
  if (answer.status !== 200) return answer;
  if (request.method !== "HEAD" && !request.headers.has("range")) {
    answer.headers.set("accept-ranges", "bytes");
    return answer;
  }
  const mediaType = answer.headers.get("content-type") ?? "application/octet-stream";
  const bytes = await answer.bytes().catch(notWhole);
  return fileResponse(request, { bytes, mediaType });
}

function notWhole(): never {
  throw new APIError("The file did not come whole.", { status: 502, code: "upstream_unreachable" });
}
