import { EventSplitter } from "../http/event-splitter.js";
import { readUTF8 } from "../http/utf8.js";
import { mapStrings } from "../json/map-strings.js";
import { COMPACT, type JSONLayout, readJSONLayout } from "../json/write-json.js";
import { ORIGIN, type RecordedEnd, type RecordedEvent, type RecordedResponse } from "./call-recording.js";
import { hasParts, type KeepFile, mediaExtension, takeMediaOut } from "./embedded-media.js";
import { EventLinks, type LinkLeader } from "./event-links.js";
import { isSecretMember, REDACTED, type Redactor } from "./redactor.js";
import { stringPlaces } from "./string-places.js";

/** An answer as it came. */
export interface ReceivedAnswer {
  status: number;
  headers: Headers;
  headMs: number;
  /** Each with when it came, in milliseconds since the answer began. */
  pieces: readonly { atMs: number; bytes: Uint8Array }[];
  end: RecordedEnd;
}

/** What writes an answer down. */
export interface DescribeOptions {
  redactor: Redactor;
  /** Leads links to an origin. */
  leadTo: (origin: string) => LinkLeader;
  keep: KeepFile;
}

/** They count what was left at that moment; of a refusal they say when to come back. */
const RATE_HEADER = /^x-ratelimit-/;
const PASSING_HEADERS = ["openai-processing-ms", "content-length"];
const EVENT = /^(?:event: ([^\r\n]*)\n)?data: ([^\r\n]*)\n\n$/;
const MEDIA_TYPE = /^(?:image|audio|video)\//;
const EXTENSIONS: Record<string, string> = { "audio/mpeg": "mp3", "image/jpeg": "jpg", "audio/opus": "opus" };

/** An answer as it is written down: without secrets, with its links led, and its media beside it. */
export function describeResponse(answer: ReceivedAnswer, options: DescribeOptions): RecordedResponse {
  const { status, headers, headMs, pieces, end } = answer;
  const kept = [...headers].filter(
    ([name]) => !PASSING_HEADERS.includes(name) && (status === 429 || !RATE_HEADER.test(name)),
  );
  const about = {
    status,
    headers: Object.fromEntries(kept.map(([name, value]) => [name, options.redactor.text(value)])),
    headMs: Math.round(headMs),
  };
  const bytes = Buffer.concat(pieces.map((piece) => piece.bytes));
  if (bytes.byteLength === 0) return { ...about, end };
  const type = headers.get("content-type") ?? "";
  const origin = freeOrigin(bytes);
  const inOrigin = origin === ORIGIN ? {} : { origin };
  if (type.startsWith("text/event-stream")) {
    return { ...about, ...inOrigin, ...describeEvents(pieces, { ...options, origin }), end };
  }
  const text = MEDIA_TYPE.test(type) ? undefined : readUTF8(bytes);
  if (text === undefined) {
    const file = options.keep(options.redactor.bytes(bytes), mediaExtension(bytes) ?? extensionOf(type));
    return { ...about, file, end };
  }
  const led = options.leadTo(origin).one(text);
  const { value, layout } = readJSONLayout(led) ?? {};
  if (layout === undefined || hasParts(led)) {
    return { ...about, ...inOrigin, text: options.redactor.text(led), end };
  }
  const json = takeMediaOut(withoutSecrets(value, options.redactor), options.keep);
  return { ...about, ...inOrigin, ...layoutMember(layout), json, end };
}

/** What stands for the origin: something that the text does not hold by itself. */
function freeOrigin(bytes: Buffer): string {
  let origin = ORIGIN;
  for (let number = 2; bytes.includes(origin); number++) origin = `{{origin-${number}}}`;
  return origin;
}

function extensionOf(type: string): string {
  const [media = ""] = type.split(";");
  return EXTENSIONS[media] ?? /^(?:image|audio|video)\/([a-z0-9]{1,8})$/.exec(media)?.[1] ?? "bin";
}

function layoutMember(layout: JSONLayout): { layout?: JSONLayout } {
  const isCompact = layout.spacing === COMPACT.spacing && layout.escapes === COMPACT.escapes;
  return isCompact ? {} : { layout };
}

function withoutSecrets(value: unknown, redactor: Redactor): unknown {
  return mapStrings(value, (text, member) =>
    member !== undefined && isSecretMember(member) ? REDACTED : redactor.text(text),
  );
}

function describeEvents(
  pieces: ReceivedAnswer["pieces"],
  { redactor, leadTo, keep, origin }: DescribeOptions & { origin: string },
): Pick<RecordedResponse, "events" | "layout"> {
  let layout: JSONLayout | undefined;
  const splitter = new EventSplitter();
  const described = (bytes: Uint8Array, atMs: number): RecordedEvent => {
    const text = readUTF8(bytes);
    if (text === undefined) return { atMs, base64: Buffer.from(redactor.bytes(bytes)).toString("base64") };
    const [, name, data = ""] = EVENT.exec(text) ?? [];
    const read = hasParts(data) ? undefined : readJSONLayout(data, layout);
    if (read) layout ??= read.layout;
    if (!read || !layout || !isSameLayout(read.layout, layout)) {
      return { atMs, text: redactor.text(text) };
    }
    return {
      atMs,
      ...(name !== undefined && { event: redactor.text(name) }),
      data: withoutSecrets(read.value, redactor),
    };
  };
  // Those that waited came when they came.
  const times: number[] = [];
  const links = new EventLinks(leadTo(origin));
  const led: Uint8Array[] = [];
  let last = 0;
  for (const { atMs, bytes } of pieces) {
    last = Math.round(atMs);
    for (const event of splitter.push(bytes)) {
      times.push(last);
      led.push(...links.push(event));
    }
  }
  led.push(...links.rest());
  const rest = splitter.rest();
  if (rest.byteLength > 0) led.push(...new EventLinks(leadTo(origin)).push(rest));
  const events = led.map((bytes, index) => described(bytes, times[index] ?? last));
  redactAcross(events, redactor);
  for (const event of events) if ("data" in event) event.data = takeMediaOut(event.data, keep);
  return { events, ...(layout && layoutMember(layout)) };
}

function isSameLayout(one: JSONLayout, other: JSONLayout): boolean {
  return one.spacing === other.spacing && one.escapes === other.escapes;
}

/** Takes out secrets that come in pieces, such as those of a text in the deltas of a stream. */
function redactAcross(events: readonly RecordedEvent[], redactor: Redactor): void {
  for (const places of stringPlaces(events.filter((event) => "data" in event)).values()) {
    if (places.length < 2) continue;
    const texts = redactor.texts(places.map(({ holder, name }) => String(holder[name])));
    for (const [index, { holder, name }] of places.entries()) holder[name] = texts[index];
  }
}
