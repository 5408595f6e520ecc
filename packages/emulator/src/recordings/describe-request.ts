import type { FormBody } from "../http/read-form-body.js";
import { readUTF8 } from "../http/utf8.js";
import { isDeeperThan } from "../json/is-deeper-than.js";
import { isRecord } from "../json/is-record.js";
import { mapStrings } from "../json/map-strings.js";
import { ORIGIN, type RecordedField, type RecordedRequest } from "./call-recording.js";
import { digestMedia, digestOf } from "./embedded-media.js";
import { isSecretMember, isSecretParameter, REDACTED, type Redactor } from "./redactor.js";

/** A call as it came. */
export interface SentCall {
  method: string;
  /** From `/v1` on. */
  path: string;
  query: URLSearchParams;
  /** Of the emulator, as this caller calls it. */
  origin: string;
  contentType: string | null;
  bytes: Uint8Array;
  /** The body of JSON, or the fields of a form, read; undefined for what is neither. */
  body: unknown;
  isForm: boolean;
}

/** A call as it is written down and compared: without secrets, and without what is another each time. */
export async function describeRequest(call: SentCall, redactor: Redactor): Promise<RecordedRequest> {
  const plain = (text: string) => redactor.text(text.replaceAll(call.origin, ORIGIN));
  const about = { method: call.method, path: plain(call.path) + describeQuery(call.query, plain) };
  if (call.isForm) return { ...about, form: await describeForm(call.body as FormBody, plain) };
  if (call.body !== undefined && !isDeeperThan(call.body, DEEPEST)) {
    const json = mapStrings(digestMedia(call.body), (text, member) =>
      member !== undefined && isSecretMember(member) ? REDACTED : plain(text),
    );
    return { ...about, json };
  }
  if (call.bytes.byteLength === 0) return about;
  const text = readUTF8(call.bytes);
  return text === undefined ? { ...about, bytes: digestOf(call.bytes) } : { ...about, text: plain(text) };
}

function describeQuery(query: URLSearchParams, plain: (text: string) => string): string {
  const pairs = [...query]
    .map(([name, value]) => `${name}=${isSecretParameter(name) ? REDACTED : plain(value)}`)
    .sort();
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/** Fields in the order of their names: between names it says nothing. */
async function describeForm(form: FormBody, plain: (text: string) => string): Promise<RecordedField[]> {
  const fields: RecordedField[] = [];
  for (const name of Object.keys(form).sort()) {
    for (const value of [form[name] ?? []].flat()) {
      if (typeof value === "string") {
        fields.push({ name: plain(name), text: isSecretMember(name) ? REDACTED : plain(value) });
      } else {
        fields.push({ name: plain(name), file: digestOf(new Uint8Array(await value.arrayBuffer())) });
      }
    }
  }
  return fields;
}

/**
 * What of a request decides which recordings are for it: all but members at the top of a body that change nothing of what is asked.
 *
 * @param ignored names of such members beside those that are always left out
 */
export function whatMatters(request: RecordedRequest, ignored: readonly string[] = []): RecordedRequest {
  const isIgnored = (name: string) => IGNORED.includes(name) || ignored.includes(name);
  if (request.form) return { ...request, form: request.form.filter(({ name }) => !isIgnored(name)) };
  if (!isRecord(request.json)) return request;
  const members = Object.entries(request.json).flatMap(([name, value]): [string, unknown][] => {
    if (isIgnored(name)) return [];
    if (name !== "metadata") return [[name, value]];
    // Images through chat are asked for there.
    const read = isRecord(value)
      ? Object.entries(value).filter(([each]) => READ_METADATA.includes(each))
      : [];
    return read.length === 0 ? [] : [[name, Object.fromEntries(read)]];
  });
  return { ...request, json: Object.fromEntries(members) };
}

/** What names callers and calls, or is chosen anew for each. */
const IGNORED: readonly string[] = [
  ...["user", "seed", "stream_options", "safety_identifier", "prompt_cache_key", "service_tier", "store"],
  ...["callback_url", "external_task_id"],
];
const DEEPEST = 200;
const READ_METADATA = ["size", "quality"];
