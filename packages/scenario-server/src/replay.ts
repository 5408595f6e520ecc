import type { ServerResponse } from "node:http";
import type { Answer } from "./answer.js";
import { cutBytes, PACES, type Pace } from "./cut-bytes.js";
import type { WireEvent } from "./wire-event.js";

/** Where streams of one beginning differ. */
const TAIL = 160;

/** How a stream ends; see `ENDINGS`. */
export type Ending = (typeof ENDINGS)[number];

/**
 * | ending | what is sent | a chat or image stream is then |
 * |---|---|---|
 * | `proper` | every event, then the end of the body | whole |
 * | `no-marker` | every event but `[DONE]`, then the end of the body | whole: the marker is not documented |
 * | `no-finish` | no event that finishes (a last text keeps its text), `[DONE]` all the same, the end of the body | cut: nobody said that nothing is missing |
 * | `fin` | up to the middle of the first event that finishes, then FIN | cut |
 * | `rst` | the same, then RST | cut |
 *
 * A chat stream finishes with the first `finish_reason` (of its last choice), an image stream with the first whole
 * image (or the event that closes a set), a stream that reports an error with that error. With the framing `close` nothing on the wire tells `fin`
 * from the end of the body: only what the events say does.
 */
export const ENDINGS = ["proper", "no-marker", "no-finish", "fin", "rst"] as const;

/**
 * How the body is framed: `chunked` on a connection that stays open, `chunked-close` on one that is announced to
 * close, `close` without chunks, so that the end of the connection is the end of the body.
 */
export const FRAMINGS = ["chunked", "chunked-close", "close"] as const;
export type Framing = (typeof FRAMINGS)[number];

/** Every pace with every ending. */
export const SCENARIOS: ReadonlyArray<readonly [pace: Pace, ending: Ending]> = PACES.flatMap((pace) =>
  ENDINGS.map((ending) => [pace, ending] as const),
);

export interface ReplayOptions {
  events: readonly WireEvent[];
  /** Default `whole`. */
  pace?: Pace;
  /** Default `proper`. */
  ending?: Ending;
  /** Default `chunked`. */
  framing?: Framing;
  /** Of the random cuts. Default 1. */
  seed?: number;
  /** Default 200. */
  status?: number;
  headers?: Record<string, string>;
}

/** An answer that replays a stream. */
export function replay({
  events,
  pace = "whole",
  ending = "proper",
  framing = "chunked",
  seed,
  status = 200,
  headers,
}: ReplayOptions): Answer {
  // Each stream is sent byte by byte from its beginning once: with its proper end.
  const tail = ending === "proper" ? undefined : TAIL;
  const pieces = cutBytes(textsOf(events, ending), pace, seed, tail);
  return async (_request, response) => {
    response.socket?.setNoDelay(true);
    if (framing !== "chunked") response.setHeader("connection", "close");
    if (framing === "close") response.useChunkedEncodingByDefault = false;
    response.writeHead(status, { "content-type": "text/event-stream", ...headers });
    response.flushHeaders();
    for (const piece of pieces) {
      if (pace !== "whole") await turn();
      if (pace === "events") await millisecond();
      if (isGone(response)) return;
      await write(response, piece);
    }
    await finish(response, ending);
  };
}

/** What an ending leaves of the events. */
export function textsOf(events: readonly WireEvent[], ending: Ending): string[] {
  return eventsOf(events, ending).map(({ text }) => text);
}

export function eventsOf(events: readonly WireEvent[], ending: Ending): WireEvent[] {
  if (ending === "proper") return [...events];
  if (ending === "no-marker") return events.filter(({ marker }) => !marker);
  const first = events.findIndex(({ finishes }) => finishes);
  const finishing = events[first];
  if (finishing === undefined) throw new Error(`Nothing finishes these events: "${ending}" means nothing.`);
  if (ending === "no-finish") {
    return events.flatMap((event) => {
      if (!event.finishes) return event;
      return event.unfinished === undefined ? [] : { text: event.unfinished };
    });
  }
  const half = finishing.text.slice(0, finishing.text.length >> 1);
  return [...events.slice(0, first), { text: half }];
}

async function finish(response: ServerResponse, ending: Ending): Promise<void> {
  if (isGone(response)) return;
  if (ending !== "fin" && ending !== "rst") {
    response.end();
    return;
  }
  // A client in the same process reads what was written before it learns of the end.
  await millisecond();
  await turn();
  if (ending === "fin") response.socket?.end();
  else response.socket?.resetAndDestroy();
}

function isGone({ destroyed, socket }: ServerResponse): boolean {
  return destroyed || socket === null || socket.destroyed;
}

/** Resolves once the bytes are with the kernel, or the connection is gone. */
function write(response: ServerResponse, piece: Uint8Array): Promise<void> {
  return new Promise((resolve) => void response.write(piece, () => resolve()));
}

function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

function millisecond(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 1));
}
