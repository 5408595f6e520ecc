/** One event of a stream, as it stands on the wire. */
export interface WireEvent {
  /** Everything of the event, its line ends and its blank line too; a comment is an event of its own. */
  text: string;
  /** The end marker, `[DONE]`. */
  marker?: true;
  /** The answer is not whole without this event. */
  finishes?: true;
  /** Reports an error: no reader is given it as an event. */
  error?: true;
  /** What stands in place of a finishing event when the finish is missing. Default: nothing. */
  unfinished?: string;
}

/** An event that is one `data:` line of JSON. */
export function dataEvent(data: unknown): WireEvent {
  return { text: dataText(data) };
}

export const END_MARKER: WireEvent = { text: "data: [DONE]\n\n", marker: true };

/** The same events with other line ends. */
export function withLineEnds(events: readonly WireEvent[], lineEnd: "\r\n" | "\r"): WireEvent[] {
  const convert = (text: string) => text.replaceAll("\n", lineEnd);
  return events.map((event) => ({
    ...event,
    text: convert(event.text),
    ...(event.unfinished === undefined ? {} : { unfinished: convert(event.unfinished) }),
  }));
}

export function dataText(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
