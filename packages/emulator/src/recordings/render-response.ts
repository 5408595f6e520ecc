import { COMPACT, writeJSON } from "../json/write-json.js";
import { ORIGIN, type RecordedEvent, type RecordedResponse } from "./call-recording.js";
import { putMediaBack } from "./embedded-media.js";

/** A piece of a body, and when it is due: milliseconds since the answer began. */
export interface DuePiece {
  atMs: number;
  bytes: Uint8Array;
}

/** The body that was recorded, piece by piece. @param files by their names @param origin where links lead */
export function renderResponse(
  response: RecordedResponse,
  files: ReadonlyMap<string, Uint8Array>,
  origin: string,
): DuePiece[] {
  const { json, events, text, file, layout = COMPACT } = response;
  const led = (written: string) => Buffer.from(written.replaceAll(response.origin ?? ORIGIN, origin));
  if (events) {
    return events.map((event) => ({ atMs: event.atMs, bytes: eventBytes(event) }));
  }
  if (file !== undefined) return [{ atMs: 0, bytes: files.get(file) ?? new Uint8Array() }];
  if (text !== undefined) return [{ atMs: 0, bytes: led(text) }];
  if (json === undefined) return [];
  return [{ atMs: 0, bytes: led(writeJSON(putMediaBack(json, files), layout)) }];

  function eventBytes({ event, data, text: written, base64 }: RecordedEvent): Uint8Array {
    if (base64 !== undefined) return Buffer.from(base64, "base64");
    if (written !== undefined) return led(written);
    const name = event === undefined ? "" : `event: ${event}\n`;
    return led(`${name}data: ${writeJSON(putMediaBack(data, files), layout)}\n\n`);
  }
}
