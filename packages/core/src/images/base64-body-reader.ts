import { parseJSON } from "../json/parse-json.js";
import type { BodyReader } from "../streams/body-reader.js";
import { Base64Content } from "./base64-content.js";

const NAME = "b64_json";
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Where in the JSON the next byte stands. */
type Place = "outside" | "string" | "escape" | "named" | "colon";
/** No prefix of `NAME` is as long. */
const ANOTHER_NAME = -1;

/** Shorter texts stay texts: kept apart, they would take more than they are. */
const MINIMUM = 3 * 2 ** 10;

/**
 * Reads answers that hold images in Base64. An image of 20 MB is 27 MB of text: kept as pieces, joined, decoded to a string,
 * copied out of it by `JSON.parse` and decoded again, it would take many times its size at once. Here the texts of `b64_json`
 * are decoded while they arrive, and what is parsed is the rest of the JSON with a mark in each one's place. Nobody can tell
 * from the outcome: the texts are properties still, encoded again when they are read. Only Base64 that encoding gives back to
 * the letter is taken; whatever else stands there, and each answer that is no JSON, is read as if this were not here.
 */
export class Base64BodyReader implements BodyReader {
  readonly #decoder = new TextDecoder();
  readonly #parts: Array<string | Base64Content> = [];
  /** What has come since the last of the parts. */
  #rest = "";
  #value: Base64Content | undefined;
  #unused: Base64Content | undefined;
  #place: Place = "outside";
  /** Characters of `NAME` that the string begins with, as far as it has come. */
  #matched = 0;
  readonly #minimum: number;

  constructor(minimum = MINIMUM) {
    this.#minimum = minimum;
  }

  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) {
      if (this.#value === undefined) {
        const from = at;
        at = this.#scan(chunk, from);
        this.#rest += this.#decoder.decode(chunk.subarray(from, at), { stream: true });
      } else {
        at = this.#value.push(chunk, at);
        if (at < chunk.length) this.#leave(this.#value, chunk[at] === QUOTE);
      }
    }
  }

  text(): string {
    return this.#join((content) => content.text());
  }

  parse(secret: string): object | undefined {
    const marked = new Map<string, Base64Content>();
    // Nobody can have written it into the answer.
    const id = crypto.randomUUID();
    const skeleton = this.#join((content) => {
      const mark = `${id}-${marked.size}`;
      marked.set(mark, content);
      return mark;
    });
    if (marked.size === 0) return undefined;
    // With a quote in it, it might stand where a text and the rest of the JSON meet.
    if (secret.includes('"') || skeleton.includes(secret)) return undefined;
    for (const content of marked.values()) if (content.includes(secret)) return undefined;
    let body: object;
    try {
      body = parseJSON(skeleton) as object;
    } catch {
      return undefined;
    }
    restore(body, marked);
    return body;
  }

  #join(write: (content: Base64Content) => string): string {
    // The end of the bytes, should they end within a character.
    this.#rest += this.#decoder.decode();
    const parts = this.#parts.map((part) => (typeof part === "string" ? part : write(part)));
    return parts.join("") + this.#rest + (this.#value?.text() ?? "");
  }

  /** Follows the JSON up to where a text of the name begins. @returns the position there, or the end */
  #scan(chunk: Uint8Array, from: number): number {
    let place = this.#place;
    let matched = this.#matched;
    let at = from;
    while (at < chunk.length) {
      const byte = chunk[at++] as number;
      if (place === "string") {
        if (byte === QUOTE) place = matched === NAME.length ? "named" : "outside";
        else if (byte === BACKSLASH) {
          place = "escape";
          matched = ANOTHER_NAME;
        } else matched = byte === NAME.charCodeAt(matched) ? matched + 1 : ANOTHER_NAME;
      } else if (place === "escape") place = "string";
      else if (byte === QUOTE) {
        matched = 0;
        if (place === "colon") {
          this.#value = this.#unused ?? new Base64Content(this.#minimum);
          this.#unused = undefined;
          break;
        }
        place = "string";
      } else if (byte === COLON && place === "named") place = "colon";
      else if (!BLANKS.has(byte)) place = "outside";
    }
    this.#place = place;
    this.#matched = matched;
    return at;
  }

  /** The text has ended, or goes on with what is no Base64: as any other string from here on. */
  #leave(value: Base64Content, ended: boolean): void {
    if (ended && value.finish()) {
      this.#parts.push(this.#rest, value);
      this.#rest = "";
    } else {
      this.#rest += value.text();
      if (value.reset()) this.#unused = value;
    }
    this.#value = undefined;
    this.#place = "string";
    this.#matched = ANOTHER_NAME;
  }
}

/** Puts the contents where their marks are. Without recursion: an answer may nest without end. */
function restore(body: object, marked: ReadonlyMap<string, Base64Content>): void {
  const open: object[] = [body];
  for (let object = open.pop(); object !== undefined; object = open.pop()) {
    for (const [name, value] of Object.entries(object)) {
      if (typeof value === "object" && value !== null) open.push(value);
      else if (typeof value === "string") marked.get(value)?.defineOn(object, name);
    }
  }
}
