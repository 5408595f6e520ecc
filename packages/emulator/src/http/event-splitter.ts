const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** Cuts the bytes of a stream after each of its events, whatever pieces they come in. */
export class EventSplitter {
  #pieces: Uint8Array[] = [];
  /** Line feeds since the last character of a line. */
  #lineFeeds = 0;

  /** @returns the events that have ended, each with the empty line that ends it */
  push(bytes: Uint8Array): Uint8Array[] {
    const events: Uint8Array[] = [];
    let from = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === CARRIAGE_RETURN) continue;
      if (byte !== LINE_FEED) {
        this.#lineFeeds = 0;
        continue;
      }
      if (++this.#lineFeeds < 2) continue;
      this.#pieces.push(bytes.subarray(from, at + 1));
      events.push(this.rest());
      from = at + 1;
    }
    if (from < bytes.length) this.#pieces.push(bytes.subarray(from));
    return events;
  }

  /** What has come of an event that has not ended. */
  rest(): Uint8Array {
    const [only, ...others] = this.#pieces;
    this.#pieces = [];
    this.#lineFeeds = 0;
    if (only === undefined) return new Uint8Array();
    return others.length === 0 ? only : Buffer.concat([only, ...others]);
  }
}
