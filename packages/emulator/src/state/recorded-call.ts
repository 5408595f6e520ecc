import type { JournalEntry } from "./journal.js";
import type { RecordedExchange, RecordedField } from "./recording.js";

/** A call whole, as JSON has it. */
export interface RecordedCall {
  entry: JournalEntry;
  /** The URL that was asked for, whole. */
  url: string;
  request: {
    /** Without the key. */
    headers: Record<string, string>;
    /** As it came, where it was text. */
    text?: string;
    /** The fields of a form. */
    form?: RecordedField[];
  };
  response: {
    headers: Record<string, string>;
    /** In bytes, as far as it was sent. */
    size: number;
    /** As it was sent, where it is text. */
    text?: string;
    /** Of a stream of events: each with when it was sent, in real milliseconds since the request came. */
    events?: { atMs: number; text: string }[];
  };
  /** Bodies were more than may be kept, and this one's are gone. */
  dropped: boolean;
}

const TEXT = /^(?:text\/|application\/(?:json|problem\+json|xml))/;

/** Writes a call down for people and programs to read. */
export function describeCall(entry: JournalEntry, exchange: RecordedExchange): RecordedCall {
  const { url, requestHeaders, requestText, requestForm, responseHeaders = {}, pieces, dropped } = exchange;
  const type = responseHeaders["content-type"] ?? "";
  const bytes = bodyOf(exchange);
  const text = TEXT.test(type) && !dropped ? bytes.toString("utf8") : undefined;
  const isStream = type.startsWith("text/event-stream") && !dropped;
  return {
    entry,
    url,
    request: {
      headers: { ...requestHeaders },
      ...(requestText !== undefined && { text: requestText }),
      ...(requestForm && { form: requestForm.map((field) => ({ ...field })) }),
    },
    response: {
      headers: { ...responseHeaders },
      size: pieces.reduce((sum, piece) => sum + piece.bytes.byteLength, 0),
      ...(text !== undefined && { text }),
      ...(isStream && { events: eventsOf(exchange) }),
    },
    dropped,
  };
}

/** The body of the answer, as far as it was sent. */
export function bodyOf({ pieces }: RecordedExchange): Buffer {
  return Buffer.concat(pieces.map(({ bytes }) => bytes));
}

/** Events as they end: their pieces may hold parts of them, or several. */
function eventsOf({ pieces }: RecordedExchange): { atMs: number; text: string }[] {
  const decoder = new TextDecoder();
  const events: { atMs: number; text: string }[] = [];
  let rest = "";
  let last = 0;
  for (const { atMs, bytes } of pieces) {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
    rest = parts.pop() ?? "";
    last = Math.round(atMs * 10) / 10;
    for (const text of parts) events.push({ atMs: last, text });
  }
  return rest === "" ? events : [...events, { atMs: last, text: rest }];
}
