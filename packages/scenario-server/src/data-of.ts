import { type Ending, eventsOf } from "./replay.js";
import type { WireEvent } from "./wire-event.js";

/** The JSON of the events that a reader is given before a stream ends: without comments, errors and half events. */
export function dataOf(events: readonly WireEvent[], ending: Ending): unknown[] {
  return eventsOf(events, ending)
    .filter(({ error }) => !error)
    .flatMap(({ text }) => {
      const lines = text
        .split(/\r\n|\r|\n/)
        .flatMap((line) => /^\ufeff?data: ?([\s\S]*)$/.exec(line)?.[1] ?? []);
      try {
        return [JSON.parse(lines.join("\n")) as unknown];
      } catch {
        return [];
      }
    });
}
