import { readFormBody } from "../http/read-form-body.js";
import { readUTF8 } from "../http/utf8.js";
import type { ObservedRequest } from "./observe-request.js";

/** A body as it came, and as far as it can be read. */
export interface SentBody {
  bytes: Uint8Array;
  /** The value of JSON, or the fields of a form; undefined for what is neither. */
  body: unknown;
  isForm: boolean;
}

/** Reads a body of whatever kind for another server: what the emulator cannot read is no mistake. */
export async function readSentBody({ request, recording }: ObservedRequest): Promise<SentBody> {
  const type = request.headers.get("content-type") ?? "";
  const bytes = new Uint8Array(await request.arrayBuffer());
  if (/^\s*multipart\/form-data/i.test(type)) {
    const { url, method, headers } = request;
    const form = await readFormBody(new Request(url, { method, headers, body: bytes })).catch(
      () => undefined,
    );
    if (form) recording?.sentForm(form);
    return { bytes, body: form, isForm: form !== undefined };
  }
  const text = bytes.byteLength === 0 ? undefined : readUTF8(bytes);
  if (text !== undefined) recording?.sentText(text);
  return { bytes, body: text === undefined ? undefined : parse(text), isForm: false };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
