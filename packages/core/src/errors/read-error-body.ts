import { type JSONObject, readCode, readObject, readText } from "../json/read-json-value.js";
import { stripMarkup } from "./strip-markup.js";

/** The parts of an error answer, whichever of the known envelopes it came in. */
export interface ErrorBody {
  message?: string;
  type?: string;
  code?: string;
  /** The id of the request, which some routes tell in the body only. */
  requestId?: string;
}

/**
 * Reads the error of an answer that is known to have failed. Documented is `{ error: { message, type, code } }`;
 * routes are also seen to send `{ error: "…" }`, `{ code, message, data: null }`, `{ detail }`,
 * `{ success: false, message }` and `{ object: "error", message }`.
 */
export function readErrorBody(body: unknown): ErrorBody {
  const fields = readObject(body);
  if (fields === undefined) return { message: typeof body === "string" ? shorten(body) : undefined };
  const { error } = fields;
  const detail = readObject(error);
  const requestId = readId(detail) ?? readId(fields);
  if (detail !== undefined) {
    return {
      requestId,
      message: readText(detail["message"]) ?? readText(fields["message"]),
      type: readText(detail["type"]) ?? readText(fields["type"]),
      code: readCode(detail["code"]) ?? readCode(fields["code"]),
    };
  }
  return {
    requestId,
    message:
      readText(error) ??
      readText(fields["message"]) ??
      readText(fields["msg"]) ??
      readDetail(fields["detail"]),
    type: readText(fields["type"]),
    code: readCode(fields["code"]),
  };
}

/**
 * Whether an answer with status 200 is an error all the same. Stricter than `readErrorBody`: a failed task or a
 * partly failed image set also carries an `error`, beside its result.
 */
export function isErrorEnvelope(body: unknown): boolean {
  const fields = readObject(body);
  if (fields === undefined || hasResult(fields)) return false;
  if (isErrorValue(fields["error"])) return true;
  if (fields["object"] === "error" || fields["success"] === false) return true;
  const { code } = fields;
  const failedCode =
    typeof code === "number"
      ? code !== 0 && code !== 200
      : typeof code === "string" && !/^(success|ok|0|200)?$/i.test(code);
  return failedCode && readText(fields["message"]) !== undefined;
}

/** Whether a field called `error` tells of one: some routes send it empty beside every result. */
export function isErrorValue(error: unknown): boolean {
  const fields = readObject(error);
  return fields === undefined ? readText(error) !== undefined : Object.keys(fields).length > 0;
}

const RESULT_FIELDS = [
  "choices",
  "data",
  "id",
  "task_id",
  "output",
  "status",
  "results",
  "images",
  "metadata",
];

function hasResult(body: JSONObject): boolean {
  return RESULT_FIELDS.some((name) => {
    const value = body[name];
    if (value === undefined || value === null || value === "") return false;
    if (name === "status") return typeof value === "string" && !/^(fail|failed|failure|error)$/i.test(value);
    return !(Array.isArray(value) && value.length === 0);
  });
}

function readId(fields: JSONObject | undefined): string | undefined {
  return readText(fields?.["request_id"]) ?? readText(fields?.["requestId"]);
}

/** FastAPI style: a sentence, or a list of `{ loc, msg }`. */
function readDetail(detail: unknown): string | undefined {
  if (!Array.isArray(detail)) return readText(detail);
  const messages = detail.map((item: unknown) => {
    const { loc, msg } = readObject(item) ?? {};
    const location = Array.isArray(loc) ? `${loc.join(".")} ` : "";
    return readText(msg) && `${location}${String(msg)}`;
  });
  return readText(messages.filter(Boolean).join("; "));
}

/** Characters of a page that are looked at for its message. */
const MAX_PAGE_LENGTH = 2 ** 18;

/** HTML error pages of proxies: their text, without the markup. */
function shorten(body: string): string | undefined {
  const start = body.trimStart().slice(0, MAX_PAGE_LENGTH);
  const plain = start.startsWith("<") ? stripMarkup(start) : start;
  const folded = plain.replace(/\s+/g, " ").trim();
  return readText(folded.length > 300 ? `${folded.slice(0, 300)}…` : folded);
}
