import type { KeyedStreamError } from "../resumable/keyed-stream-error.js";
import type { StreamEvent } from "../resumable/resumable-streams.js";

/** How events of a stream are written for its readers. */
export interface StreamFormat {
  headers: Readonly<Record<string, string>>;
  event(event: StreamEvent): string;
  /**
   * After the last event of a whole stream.
   *
   * @param id of this end, so that who has it is known to have everything
   */
  end(id: string): string;
  /**
   * After the last event of a stream that is not whole.
   *
   * @param message what the reader may know
   */
  failure(error: KeyedStreamError, message: string): string;
  /** What the reader may know, where that differs from what `createStreamHandlers` says. */
  message?(error: KeyedStreamError): string | undefined;
}

/**
 * Server-sent events as an `EventSource` reads them: each of type `message`, one of type `done` at the end; `stopped` and
 * `error` (with a text) for streams that are not whole.
 */
export const SERVER_SENT_EVENTS: StreamFormat = {
  headers: {
    "content-type": "text/event-stream",
    "cache-control": "no-store, no-transform",
    "x-accel-buffering": "no",
  },
  event: ({ id, json }) => `id: ${id}\ndata: ${json}\n\n`,
  end: (id) => `${idLine(id)}event: done\ndata:\n\n`,
  failure: ({ reason, eventId }, message) =>
    reason === "stopped"
      ? `${idLine(eventId)}event: stopped\ndata:\n\n`
      : `${idLine(eventId)}event: error\n${dataLines(message)}\n\n`,
};

function dataLines(text: string): string {
  const lines = text.split(/\r\n|\n|\r/);
  return lines.map((line) => `data: ${line}`).join("\n");
}

function idLine(id: string | undefined): string {
  return id === undefined ? "" : `id: ${id}\n`;
}
