/** The parts of an error answer, whichever of the known envelopes it came in. */
export interface ErrorBody {
  message?: string;
  type?: string;
  code?: string;
}

type JSONObject = Record<string, unknown>;

function isObject(value: unknown): value is JSONObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** Codes come as strings, and from some routes as numbers. */
function codeText(value: unknown): string | undefined {
  return typeof value === "number" ? String(value) : text(value);
}

/**
 * Reads the error of an answer that is known to have failed. Documented is `{ error: { message, type, code } }`;
 * routes are also seen to send `{ error: "…" }`, `{ code, message, data: null }`, `{ detail }`,
 * `{ success: false, message }` and `{ object: "error", message }`.
 */
export function readErrorBody(body: unknown): ErrorBody {
  if (!isObject(body)) return { message: typeof body === "string" ? shorten(body) : undefined };
  const { error } = body;
  if (isObject(error)) {
    return {
      message: text(error["message"]) ?? text(body["message"]),
      type: text(error["type"]) ?? text(body["type"]),
      code: codeText(error["code"]) ?? codeText(body["code"]),
    };
  }
  return {
    message: text(error) ?? text(body["message"]) ?? text(body["msg"]) ?? readDetail(body["detail"]),
    type: text(body["type"]),
    code: codeText(body["code"]),
  };
}

/**
 * Whether an answer with status 200 is an error all the same. Stricter than `readErrorBody`: a failed task or a
 * partly failed image set also carries an `error`, beside its result.
 */
export function isErrorEnvelope(body: unknown): boolean {
  if (!isObject(body)) return false;
  if (hasResult(body)) return false;
  const { error } = body;
  if (isObject(error) || text(error) !== undefined) return true;
  if (body["object"] === "error" || body["success"] === false) return true;
  const { code } = body;
  const failedCode =
    typeof code === "number"
      ? code !== 0 && code !== 200
      : typeof code === "string" && !/^(success|ok|0|200)?$/i.test(code);
  return failedCode && text(body["message"]) !== undefined;
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

/** FastAPI style: a sentence, or a list of `{ loc, msg }`. */
function readDetail(detail: unknown): string | undefined {
  if (!Array.isArray(detail)) return text(detail);
  const messages = detail.map((item: unknown) => {
    if (!isObject(item)) return undefined;
    const location = Array.isArray(item["loc"]) ? `${item["loc"].join(".")} ` : "";
    return text(item["msg"]) && `${location}${String(item["msg"])}`;
  });
  return text(messages.filter(Boolean).join("; "));
}

/** HTML error pages of proxies: their text, without the markup. */
function shorten(body: string): string | undefined {
  const plain = /^\s*</.test(body)
    ? body.replace(/<(script|style)[\s\S]*?<\/\1>/gi, " ").replace(/<[^>]*>/g, " ")
    : body;
  const folded = plain.replace(/\s+/g, " ").trim();
  return text(folded.length > 300 ? `${folded.slice(0, 300)}…` : folded);
}
