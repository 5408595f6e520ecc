import { Answer } from "../http/answer.js";
import { APIError } from "../http/api-error.js";
import { FALLBACK_HEADER } from "./fallback-media.js";
import type { MediaFile } from "./media-files.js";

/** A whole file or the one byte range that was asked for (RFC 9110, section 14). @throws APIError 416 */
export function fileResponse(request: Request, file: MediaFile): Answer {
  const size = file.bytes.byteLength;
  const headers: Record<string, string> = {
    "content-type": file.mediaType,
    "accept-ranges": "bytes",
    "cache-control": "private, max-age=86400",
    ...(file.fallback ? FALLBACK_HEADER : {}),
  };
  const range = readRange(request.headers.get("range"), size);
  if (range === "unsatisfiable") {
    throw new APIError(`The range lies outside the file of ${size} bytes.`, {
      status: 416,
      code: "range_not_satisfiable",
      headers: { "content-range": `bytes */${size}` },
    });
  }
  if (!range) return bytesResponse(file.bytes, 200, headers);
  const { first, last } = range;
  return bytesResponse(file.bytes.subarray(first, last + 1), 206, {
    ...headers,
    "content-range": `bytes ${first}-${last}/${size}`,
  });
}

function bytesResponse(bytes: Uint8Array, status: number, headers: Record<string, string>): Answer {
  // The bytes of a view with an exact length; a Response takes no shared memory.
  return new Answer(new Uint8Array(bytes), {
    status,
    headers: { ...headers, "content-length": String(bytes.byteLength) },
  });
}

/** A single byte range; undefined for none, for several (which a server may answer whole) and for other units. */
function readRange(
  header: string | null,
  size: number,
): { first: number; last: number } | "unsatisfiable" | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? "");
  if (!match) return undefined;
  const [, start = "", end = ""] = match;
  if (start === "" && end === "") return undefined;
  if (start === "") {
    const length = Math.min(Number(end), size);
    return length === 0 ? "unsatisfiable" : { first: size - length, last: size - 1 };
  }
  const first = Number(start);
  const last = end === "" ? size - 1 : Math.min(Number(end), size - 1);
  // A backwards range is no valid header at all, and is ignored.
  if (end !== "" && Number(end) < first) return undefined;
  return first < size ? { first, last } : "unsatisfiable";
}
