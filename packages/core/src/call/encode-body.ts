import { InvalidRequestError } from "../errors/errors.js";
import type { EncodedBody } from "../transport/encoded-body.js";
import type { Call } from "./call.js";

/** Throws an `InvalidRequestError` for a body that JSON cannot hold. */
export function encodeBody(call: Call): EncodedBody {
  if (call.encode !== undefined) return call.encode();
  if (call.body === undefined) return { replayable: true };
  try {
    return { body: JSON.stringify(call.body), contentType: "application/json", replayable: true };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split("\n")[0] : String(cause);
    throw new InvalidRequestError([{ field: "body", message: `cannot be written as JSON (${reason})` }], {
      method: call.method,
      path: call.path,
      cause,
    });
  }
}
