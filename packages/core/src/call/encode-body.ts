import { InvalidRequestError } from "../errors/errors.js";
import { encodeMultipart } from "../transport/multipart.js";
import type { Call } from "./call.js";

/** The body of a call, written once for all its attempts. */
export interface EncodedBody {
  body?: string | Uint8Array | Blob | AsyncIterable<Uint8Array>;
  contentType?: string;
  /** False when the body holds a stream, which can be read once only. */
  replayable: boolean;
  /** Lets go of streams of the caller's that were not read, when the call is over. */
  release?: (reason: unknown) => void;
}

/** Throws an `InvalidRequestError` for a body that JSON cannot hold. */
export function encodeBody(call: Call): EncodedBody {
  if (call.form !== undefined) return encodeMultipart(call.form());
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
