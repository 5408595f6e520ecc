import type { Answer } from "../http/answer.js";
import { isEventStream } from "../http/event-stream.js";
import { isRecord } from "../json/is-record.js";
import type { ProfileSettings } from "./profile.js";

const COMMENT = ": PING\n\n";

interface Chunk {
  id?: unknown;
  choices?: unknown;
  usage?: unknown;
}

/** Gives a stream of chat the habits of a route. Each of its pieces is one event. */
export function withStreamHabits(response: Answer, { streams }: ProfileSettings): Answer {
  const { doneMarker, usage, comments, emptyFirstId } = streams;
  const isUsual = doneMarker && usage === "own-chunk" && !comments && !emptyFirstId;
  if (isUsual || !(response.body instanceof ReadableStream) || !isEventStream(response)) return response;
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let held: string | undefined;
  let isFirst = true;
  const habits = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      const write = (text: string) => controller.enqueue(encoder.encode(text));
      const text = decoder.decode(bytes);
      if (isFirst && comments) write(COMMENT);
      const chunk = chunkOf(text);
      if (chunk === undefined) {
        if (held !== undefined) write(held);
        held = undefined;
        if (doneMarker || text !== "data: [DONE]\n\n") write(text);
        return;
      }
      if (isFirst && emptyFirstId) chunk.id = "";
      isFirst = false;
      const isUsageAlone =
        Array.isArray(chunk.choices) && chunk.choices.length === 0 && isRecord(chunk.usage);
      if (isUsageAlone && usage === "last-chunk" && held !== undefined) {
        write(eventOf({ ...chunkOf(held), usage: chunk.usage }));
        held = undefined;
        return;
      }
      if (held !== undefined) write(held);
      held = undefined;
      const changed = eventOf(chunk);
      // The usage may follow, and belongs to it.
      if (usage === "last-chunk" && isLast(chunk)) held = changed;
      else write(changed);
      if (comments && !isLast(chunk)) write(COMMENT);
    },
    flush(controller) {
      if (held !== undefined) controller.enqueue(encoder.encode(held));
    },
  });
  return response.withBody(response.body.pipeThrough(habits));
}

function chunkOf(event: string): Chunk | undefined {
  const data = /^data: (\{.*)$/m.exec(event)?.[1];
  if (data === undefined) return undefined;
  try {
    return JSON.parse(data) as Chunk;
  } catch {
    // A fault has broken it: it stays as it is.
    return undefined;
  }
}

function eventOf(chunk: Chunk): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

function isLast({ choices }: Chunk): boolean {
  return (
    Array.isArray(choices) &&
    choices.some((choice) => isRecord(choice) && typeof choice["finish_reason"] === "string")
  );
}
