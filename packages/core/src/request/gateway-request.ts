import type { APIPromise } from "../call/api-promise.js";
import { type RequestOptions, SHORT_TIMEOUT_MS } from "../call/call.js";
import type { CallCost } from "../call/retry-policy.js";
import type { Sender } from "../call/sender.js";
import { InvalidRequestError, type RequestProblem } from "../errors/errors.js";
import { findPathProblem } from "./check-path.js";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
const COSTS: readonly CallCost[] = ["read", "repeatable", "billable"];

type QueryValue = string | number | boolean | undefined;

/** A request to a path that this client has no call for. Takes the options of every call beside its own. */
export interface GatewayRequest extends RequestOptions {
  method: (typeof METHODS)[number];
  /** Below the base address, variable parts encoded: `/videos/t1/content`. */
  path: string;
  /** Sent as JSON; not with GET. */
  body?: unknown;
  /** Parameters of the path; a list repeats its name, undefined is left out. */
  query?: Record<string, QueryValue | readonly QueryValue[]>;
  /** The path begins at the root of the address, without its `/v1`: `/api/pricing`. Default false. */
  unversioned?: boolean;
  /** Use the specialised addresses. Default false. */
  specialized?: boolean;
  /**
   * What repeating the request can cost, which decides on retries. Default `read` for GET, which is repeated, and
   * `billable` for everything else, which is not when its outcome is unknown.
   */
  cost?: CallCost;
  /** Only whole JSON answers can be read. */
  stream?: false;
}

/** Sends a request of the caller's own under the policy of every other call. */
export function sendGatewayRequest<T>(sender: Sender, request: GatewayRequest): APIPromise<T> {
  const { method, path, body, query, unversioned, specialized, cost, stream: _stream, ...options } = request;
  return sender.json(
    {
      name: "request",
      method,
      path,
      query: encodeQuery(query),
      body,
      unversioned,
      specialized,
      cost: cost ?? (method === "GET" ? "read" : "billable"),
      check: () => checkRequest(request),
      mayBeEmpty: true,
      defaultTimeoutMs: SHORT_TIMEOUT_MS,
    },
    options,
    (answer) => answer as T,
  );
}

function checkRequest({ method, path, body, cost, stream }: GatewayRequest): void {
  const problems: RequestProblem[] = [];
  const add = (field: string, message: string, value?: unknown) => problems.push({ field, message, value });
  if (!METHODS.includes(method)) add("method", `must be one of ${METHODS.join(", ")}`, method);
  const pathProblem = findPathProblem(path);
  if (pathProblem !== undefined) add("path", pathProblem, path);
  if (cost !== undefined && !COSTS.includes(cost)) add("cost", `must be one of ${COSTS.join(", ")}`, cost);
  if (method === "GET" && body !== undefined) add("body", "must be left out with GET");
  // A stream that nobody can read may be paid all the same.
  if ((stream as unknown) === true) add("stream", "must be left out: the answer has to be whole JSON");
  if ((body as { stream?: unknown } | null | undefined)?.stream === true) {
    add("body.stream", "must be left out: the answer has to be whole JSON");
  }
  if (problems.length > 0) throw new InvalidRequestError(problems);
}

function encodeQuery(query: GatewayRequest["query"]): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    const values: readonly QueryValue[] = Array.isArray(value) ? value : [value as QueryValue];
    for (const each of values) if (each !== undefined) parameters.append(name, String(each));
  }
  return parameters.toString();
}
