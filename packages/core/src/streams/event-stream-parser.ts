const STREAM = { stream: true } as const;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;

/** Called once per event with its data and, when the stream names one, its `event` field. */
export type EventHandler = (data: string, event: string) => void;

/**
 * Splits bytes into server-sent events (WHATWG HTML, 9.2). Push-based, one decoder per stream, no generators:
 * the reader is on the hot path of every streamed token. Lines may end in LF, CRLF or CR, and a chunk may end
 * anywhere, also inside a character or between CR and LF.
 */
export class EventStreamParser {
  readonly #decoder = new TextDecoder();
  /** Start of a line whose end has not arrived. Grows as a rope, so a megabyte event stays linear. */
  #pending = "";
  #data = "";
  #hasData = false;
  #event = "";
  /** The last chunk ended in CR: a leading LF of the next one belongs to it. */
  #afterCarriageReturn = false;

  readonly #onEvent: EventHandler;
  readonly #maxLength: number;

  /** @param maxLength longest event that is read, in characters */
  constructor(onEvent: EventHandler, maxLength = Number.POSITIVE_INFINITY) {
    this.#onEvent = onEvent;
    this.#maxLength = maxLength;
  }

  /** @returns false once an event is longer than it may be; nothing of it is of any use then */
  push(bytes: Uint8Array): boolean {
    this.#pushText(this.#decoder.decode(bytes, STREAM));
    return this.#pending.length + this.#data.length <= this.#maxLength;
  }

  /** @returns the event that the end of the stream cut off, if any; a strict reader would discard it */
  end(): { data: string; event: string } | undefined {
    this.#pushText(this.#decoder.decode());
    if (this.#pending !== "") this.#readLine(this.#pending);
    return this.#hasData ? { data: this.#data, event: this.#event } : undefined;
  }

  #pushText(text: string): void {
    if (text === "") return;
    if (this.#afterCarriageReturn || text.includes("\r")) this.#pushMixedLines(text);
    else this.#pushLines(text);
  }

  /** The common case: LF only. An event that is one `data:` line and wholly inside the chunk is cut out directly. */
  #pushLines(text: string): void {
    let end = text.indexOf("\n");
    let start = 0;
    if (this.#pending !== "") {
      if (end === -1) {
        this.#pending += text;
        return;
      }
      this.#readLine(this.#pending + text.slice(0, end));
      start = end + 1;
      end = text.indexOf("\n", start);
    }
    while (end !== -1) {
      const single =
        !this.#hasData && text.charCodeAt(end + 1) === LINE_FEED && text.startsWith("data:", start);
      if (single) {
        const from = text.charCodeAt(start + 5) === SPACE ? start + 6 : start + 5;
        const event = this.#event;
        this.#event = "";
        this.#onEvent(text.slice(from, end), event);
        start = end + 2;
      } else {
        this.#readLine(text.slice(start, end));
        start = end + 1;
      }
      end = text.indexOf("\n", start);
    }
    this.#pending = text.slice(start);
  }

  #pushMixedLines(text: string): void {
    let start = 0;
    if (this.#afterCarriageReturn && text.charCodeAt(0) === LINE_FEED) start = 1;
    this.#afterCarriageReturn = false;
    for (let index = start; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code !== LINE_FEED && code !== CARRIAGE_RETURN) continue;
      const line = this.#pending + text.slice(start, index);
      this.#pending = "";
      this.#readLine(line);
      if (code === CARRIAGE_RETURN) {
        if (index + 1 === text.length) this.#afterCarriageReturn = true;
        else if (text.charCodeAt(index + 1) === LINE_FEED) index++;
      }
      start = index + 1;
    }
    this.#pending += text.slice(start);
  }

  #readLine(line: string): void {
    if (line === "") {
      this.#dispatch();
      return;
    }
    const colon = line.indexOf(":");
    // A comment is a line whose field has no name.
    const field = colon === -1 ? line : line.slice(0, colon);
    const valueStart = line.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1;
    const value = colon === -1 ? "" : line.slice(valueStart);
    if (field === "data") {
      this.#data = this.#hasData ? `${this.#data}\n${value}` : value;
      this.#hasData = true;
    } else if (field === "event") {
      this.#event = value;
    }
  }

  #dispatch(): void {
    const data = this.#data;
    const event = this.#event;
    const hasData = this.#hasData;
    this.#data = this.#event = "";
    this.#hasData = false;
    if (hasData) this.#onEvent(data, event);
  }
}
