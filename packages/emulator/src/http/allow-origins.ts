import { Answer } from "./answer.js";

/** What pages may read of an answer. */
const EXPOSED_HEADERS = [
  ...["x-request-id", "retry-after", "x-ratelimit-limit-requests", "x-ratelimit-remaining-requests"],
  ...["x-ratelimit-reset-requests", "content-length", "content-range", "accept-ranges"],
].join(",");
const METHODS = "GET,HEAD,PUT,POST,DELETE,PATCH,QUERY";
const MAX_AGE_SECONDS = "600";

/**
 * What pages of other origins need to call an API (the CORS protocol of the Fetch standard): answers what their browsers
 * ask first, and lets them read what is answered.
 *
 * @param origins those that may; `*` for all
 */
export function allowOrigins(
  origins: readonly string[],
): (request: Request, answer: () => Promise<Answer>) => Promise<Answer> {
  const isForAll = origins.includes("*");
  return async (request, answer) => {
    const isPreflight = request.method === "OPTIONS";
    const given = isPreflight ? new Answer(null, { status: 204 }) : await answer();
    const { headers } = given;
    const origin = request.headers.get("origin") ?? "";
    if (isForAll || origins.includes(origin)) {
      headers.set("access-control-allow-origin", isForAll ? "*" : origin);
    }
    headers.set("access-control-expose-headers", EXPOSED_HEADERS);
    if (!isForAll) headers.append("vary", "Origin");
    if (!isPreflight) return given;
    headers.set("access-control-max-age", MAX_AGE_SECONDS);
    headers.set("access-control-allow-methods", METHODS);
    const asked = request.headers.get("access-control-request-headers");
    if (asked) {
      headers.set(
        "access-control-allow-headers",
        asked
          .split(",")
          .map((name) => name.trim())
          .join(","),
      );
      headers.append("vary", "Access-Control-Request-Headers");
    }
    return given;
  };
}
