import { isErrorEnvelope } from "../errors/read-error-body.js";
import type { AsyncQueue } from "../streams/async-queue.js";
import { joinBytes } from "../transport/join-bytes.js";
import type { AnswerInfo } from "./call.js";
import { type ErrorContext, errorFromErrorAnswer, errorFromUnreadable } from "./call-errors.js";

/** Text above this size is no error message any more, in bytes. */
const MAX_TEXT_BYTES = 2 ** 20;
/** Leading blanks above this number are no text. */
const MAX_BLANKS = 1024;
const TEXT_TYPE = /^(text\/|application\/([\w.-]+\+)?(json|xml)\b|application\/xhtml)/i;

/**
 * Looks at the first bytes of a successful answer and leaves binary data as it is. Errors also come with status
 * 200, and then often with the media type of the result: so the bytes count as much as the header.
 *
 * @throws APIError for an error in JSON, InvalidResponseError for any other text and for an empty answer
 */
export async function expectBinary(
  queue: AsyncQueue<Uint8Array>,
  { status, headers }: AnswerInfo,
  context: ErrorContext,
): Promise<void> {
  const declaredText = TEXT_TYPE.test(headers.get("content-type") ?? "");
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isText: boolean | undefined = declaredText || undefined;
  for (;;) {
    const { value, done } = await queue.next();
    if (done) break;
    chunks.push(value);
    size += value.length;
    // Only until it shows, which is soon: joined at each chunk, a text in small pieces would take quadratic time.
    if (isText === undefined) {
      const start = joinBytes(chunks);
      isText = beginsAsText(start);
      if (isText === false) {
        queue.putBack(start);
        return;
      }
    }
    if (size > MAX_TEXT_BYTES) break;
  }
  const whole = joinBytes(chunks);
  const unreadable = (what: string, body?: string) => errorFromUnreadable(what, status, body, context);
  const text = decode(whole);
  if (text === undefined && !declaredText) {
    // Samples without a header can begin with any bytes.
    queue.putBack(whole);
    return;
  }
  void queue.return();
  if (text?.trim() === "") throw unreadable("an empty body");
  const parsed = parse(text);
  const body = parsed?.value;
  if (isErrorEnvelope(body)) throw errorFromErrorAnswer({ status, headers, body }, context);
  throw unreadable(`${nameOf(text, parsed)} instead of binary data`, text);
}

/** Whether bytes begin as a JSON object or as markup; undefined while they are too few to tell. */
function beginsAsText(bytes: Uint8Array): boolean | undefined {
  const tooFew = bytes.length < MAX_BLANKS ? undefined : false;
  const [first, second] = bytes.subarray(0, MAX_BLANKS).filter((byte) => !isBlank(byte));
  if (first === undefined) return tooFew;
  if (first !== BRACE && first !== ANGLE) return false;
  if (second === undefined) return tooFew;
  if (first === BRACE) return second === QUOTE || second === CLOSING_BRACE;
  return /[!?a-z]/i.test(String.fromCharCode(second));
}

const BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const QUOTE = 0x22;
const ANGLE = 0x3c;
/** Space, tab, line ends, and the bytes of a byte order mark. */
const BLANKS = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

function isBlank(byte: number): boolean {
  return BLANKS.has(byte);
}

/** @returns undefined for bytes that are no text */
function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function parse(text: string | undefined): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text ?? "") };
  } catch {
    return undefined;
  }
}

function nameOf(text: string | undefined, parsed: unknown): string {
  if (parsed !== undefined) return "JSON";
  return /^\s*<[!?a-z]/i.test(text ?? "") ? "a web page" : "text";
}
