import { readUTF8 } from "../http/utf8.js";
import { type JSONLayout, readJSONLayout, writeJSON } from "../json/write-json.js";
import { type StringPlace, stringPlaces } from "./string-places.js";

/** Leads the links of texts, and of pieces that are one text. */
export interface LinkLeader {
  one(text: string): string;
  pieces(pieces: readonly string[]): string[];
}

/** An event of JSON on its way. */
interface HeldEvent {
  bytes: Uint8Array;
  text: string;
  /** What stands before and after its data. */
  frame: [string, string];
  value: object;
  layout: JSONLayout;
}

const EVENT = /^((?:event: [^\r\n]*\n)?data: )([^\r\n]*)(\n\n)$/;
/** A text that may end within a link. */
const OPEN_END =
  /(?:^|[^A-Za-z0-9])(?:h|ht|htt|https?|https?:\/?|https?:\/\/[!#$%&*+,\-./0-9:;=?@A-Z_a-z~]*)$/;
/** The members in which texts come in pieces. */
const TEXT_NAME = /^(?:content|text|delta|arguments|refusal|reasoning(?:_content|_text)?|output_text)$/;
const LONGEST_LINK = 4_096;
const MOST_HELD = 512;

/**
 * Leads the links in the events of a stream, also those that come in pieces, as the text of a chat does: events that may end within a
 * link wait for the next. What holds no link stays as it came, byte for byte.
 */
export class EventLinks {
  readonly #lead: LinkLeader;
  #held: HeldEvent[] = [];

  constructor(lead: LinkLeader) {
    this.#lead = lead;
  }

  /** @returns the events that need wait for no other, in order */
  push(bytes: Uint8Array): Uint8Array[] {
    const text = readUTF8(bytes);
    const event = text === undefined ? undefined : readEvent(bytes, text);
    if (!event) return [...this.rest(), text === undefined ? bytes : Buffer.from(this.#lead.one(text))];
    this.#held.push(event);
    return this.#held.length < MOST_HELD && this.#endsWithinLink() ? [] : this.rest();
  }

  /** What has waited, when nothing more comes. */
  rest(): Uint8Array[] {
    const held = this.#held;
    this.#held = [];
    const [only] = held;
    if (only && held.length === 1) {
      const led = this.#lead.one(only.text);
      return [led === only.text ? only.bytes : Buffer.from(led)];
    }
    let isChanged = false;
    for (const places of textPlaces(held)) {
      const pieces = places.map(({ holder, name }) => String(holder[name]));
      for (const [index, led] of this.#lead.pieces(pieces).entries()) {
        const { holder, name } = places[index] as (typeof places)[number];
        isChanged ||= holder[name] !== led;
        holder[name] = led;
      }
    }
    if (!isChanged) return held.map(({ bytes }) => bytes);
    return held.map(({ frame: [before, after], value, layout }) =>
      Buffer.from(before + writeJSON(value, layout) + after),
    );
  }

  #endsWithinLink(): boolean {
    for (const places of textPlaces(this.#held)) {
      let end = "";
      for (let index = places.length - 1; index >= 0 && end.length < LONGEST_LINK; index--) {
        const { holder, name } = places[index] as (typeof places)[number];
        end = String(holder[name]).slice(-LONGEST_LINK) + end;
      }
      if (OPEN_END.test(end)) return true;
    }
    return false;
  }
}

function textPlaces(events: readonly HeldEvent[]): StringPlace[][] {
  const places = stringPlaces(events.map(({ value }) => value));
  return [...places.values()].filter(([first]) => first && TEXT_NAME.test(first.name));
}

function readEvent(bytes: Uint8Array, text: string): HeldEvent | undefined {
  const [, before = "", data = "", after = ""] = EVENT.exec(text) ?? [];
  const read = readJSONLayout(data);
  if (typeof read?.value !== "object" || read.value === null) return undefined;
  return { bytes, text, frame: [before, after], value: read.value, layout: read.layout };
}
