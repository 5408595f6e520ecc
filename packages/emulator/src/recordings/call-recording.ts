import type { JSONLayout } from "../json/write-json.js";

/** What this emulator writes, and the newest that it reads. */
export const RECORDING_VERSION = 1;

/** Where a recording says the emulator's origin, unless its own text does. */
export const ORIGIN = "{{origin}}";

/** A call, as it is written down: one file of JSON, with its media beside it. */
export interface CallRecording {
  version: number;
  request: RecordedRequest;
  /** What came; left out where nothing did. */
  response?: RecordedResponse;
  /** Why nothing came. */
  failure?: RecordedFailure;
}

/** What was asked: what replaying compares, without secrets. */
export interface RecordedRequest {
  method: string;
  /** From `/v1` on, with its query. */
  path: string;
  /** A body of JSON, with pictures and sounds by what they are. */
  json?: unknown;
  /** A form, in the order of its names. */
  form?: RecordedField[];
  /** Any other text. */
  text?: string;
  /** Any other bytes, by what they are. */
  bytes?: string;
}

/** A field of a form: a text, or a file by what it is. */
export interface RecordedField {
  name: string;
  text?: string;
  file?: string;
}

/** What an answer was; one of `json`, `events`, `text` and `file` holds its body. */
export interface RecordedResponse {
  status: number;
  headers: Record<string, string>;
  /** Milliseconds until it began. */
  headMs: number;
  json?: unknown;
  /** How its JSON, or that of its events, was laid out; compact when left out. */
  layout?: JSONLayout;
  events?: RecordedEvent[];
  text?: string;
  /** The name of a file beside it. */
  file?: string;
  /** What stands for the emulator's origin in it, where it is not {@link ORIGIN}. */
  origin?: string;
  end: RecordedEnd;
}

/** A piece of a stream, as JSON where it is an event of it; else as text, or as Base64 where it is no text. */
export interface RecordedEvent {
  /** Milliseconds since the answer began. */
  atMs: number;
  event?: string;
  data?: unknown;
  text?: string;
  base64?: string;
}

/**
 * How a body ended: as it should (`close`); cut off, by the end of the connection (`cut`) or its reset (`reset`); nothing came
 * for too long (`stall`); its caller left (`left`).
 */
export const RECORDED_ENDS = ["close", "cut", "reset", "stall", "left"] as const;
export type RecordedEnd = (typeof RECORDED_ENDS)[number];

/** What callers were told in place of an answer. */
export interface RecordedFailure {
  status: number;
  code: string;
  reason: string;
}
