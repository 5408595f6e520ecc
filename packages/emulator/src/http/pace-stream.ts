import { setImmediate as turn } from "node:timers/promises";
import { hashText } from "../language/hash-text.js";
import type { Answer } from "./answer.js";
import { isEventStream } from "./event-stream.js";

/**
 * How the bytes of a stream of events are written:
 * - `events`: one event per write, with a turn of the event loop before each, as a real route does;
 * - `whole`: everything in one write, once the stream has ended;
 * - `bytes`: one byte per write (the first 4,096 of a stream, then by events), with a turn before each;
 * - `cuts`: writes that end anywhere, also inside characters, decided by the seed, with a turn before each.
 *
 * What is written is the same at every pace.
 */
export const STREAM_PACES = ["events", "whole", "bytes", "cuts"] as const;
export type StreamPace = (typeof STREAM_PACES)[number];

/** More single bytes than this show nothing new and take long. */
const SINGLE_BYTES = 4_096;
const LONGEST_CUT = 48;
/** An event of megabytes is not cut into more pieces than this, or it would take seconds. */
const MOST_CUTS = 256;

/** Gives a stream of events its pace; any other answer passes as it is. */
export function paceStream(response: Answer, pace: StreamPace, seed: number): Answer {
  if (!(response.body instanceof ReadableStream) || !isEventStream(response)) return response;
  const reader = response.body.getReader();
  const pieces = PIECES[pace](reader, seed);
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) {
        controller.close();
        return;
      }
      await turn();
      controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  };
  // Nothing is read ahead: an error would take with it what was not taken yet.
  return response.withBody(new ReadableStream(source, { highWaterMark: 0 }));
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;
type Pieces = AsyncGenerator<Uint8Array, void, undefined>;

const PIECES: Record<StreamPace, (events: Reader, seed: number) => Pieces> = {
  events: eventsOf,
  async *whole(events) {
    const all: Uint8Array[] = [];
    for await (const event of eventsOf(events)) all.push(event);
    if (all.length > 0) yield Buffer.concat(all);
  },
  async *bytes(events) {
    let left = SINGLE_BYTES;
    for await (const event of eventsOf(events)) {
      const single = Math.min(left, event.length);
      for (let at = 0; at < single; at++) yield event.subarray(at, at + 1);
      left -= single;
      if (single < event.length) yield event.subarray(single);
    }
  },
  async *cuts(events, seed) {
    let random = seed;
    // The end of an event is written together with the beginning of the next.
    let rest: Uint8Array = new Uint8Array();
    for await (const event of eventsOf(events)) {
      const bytes = Buffer.concat([rest, event]);
      const longest = Math.max(LONGEST_CUT, Math.ceil((2 * bytes.length) / MOST_CUTS));
      let at = 0;
      for (;;) {
        random = hashText("", random + 1);
        const end = at + 1 + (random % longest);
        if (end >= bytes.length) break;
        yield bytes.subarray(at, end);
        at = end;
      }
      rest = bytes.subarray(at);
    }
    if (rest.length > 0) yield rest;
  },
};

async function* eventsOf(events: Reader): Pieces {
  for (;;) {
    const { done, value } = await events.read();
    if (done) return;
    yield value;
  }
}
