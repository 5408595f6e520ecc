import type { EventTemplate } from "../streams/json-stream-reader.js";
import type { ChatCompletionChunk } from "./chat-types.js";
import { GROWING_TEXT } from "./join-deltas.js";

type FlatChunk = { choices: [{ delta: Record<string, unknown> }] };

/** Fields of a delta in which text grows. */
const TEXT_FIELDS = ["content", "reasoning_content", "reasoning"] as const;
type TextField = (typeof TEXT_FIELDS)[number];

/** What stands in a JSON string only behind a backslash, and the backslash. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON allows none of them unescaped
const ESCAPED = /["\\\u0000-\u001f]/;
const PROBE = "\u0000~";
const WRITTEN_PROBE = '"\\u0000~"';
/** A stream whose envelopes do not repeat is soon parsed event by event; a miss costs what four hits save. */
const PATIENCE = 16;
const PER_HIT = 0.25;

/**
 * Reads the chunks of a chat stream by what differs between them. Nearly all of a chunk is its envelope (id, model, time,
 * index), the same from the first to the last: parsing it again for each token is most of what a stream costs its reader. So
 * one chunk is parsed, and its text before and after the new words is kept; a chunk with the same text around other words
 * is a copy of it with those words. This is exact: where anything else differs, or what stands between is not one JSON
 * string, the chunk is parsed like any other and becomes the new envelope. That the place is the right one is tried when
 * it is learned, by parsing the envelope around words that no answer has. `differentialParsing: false` turns it off.
 */
export class ChunkTemplate implements EventTemplate<ChatCompletionChunk> {
  /** The field with the words, and the words of the last chunk that was recognised. */
  field: TextField = "content";
  text = "";
  #chunk: FlatChunk | undefined;
  #before = "";
  #after = "";
  #patience = PATIENCE;

  match(data: string): ChatCompletionChunk | undefined {
    const chunk = this.#chunk;
    const before = this.#before;
    const after = this.#after;
    if (chunk === undefined) return undefined;
    const end = data.length - after.length;
    // Slices are compared as memory, `startsWith` character by character.
    if (end < before.length || data.slice(0, before.length) !== before || data.slice(end) !== after) {
      return undefined;
    }
    let text = data.slice(before.length, end);
    if (ESCAPED.test(text)) {
      try {
        text = JSON.parse(`"${text}"`);
      } catch {
        return undefined;
      }
    }
    this.text = text;
    if (this.#patience < PATIENCE) this.#patience += PER_HIT;
    const [choice] = chunk.choices;
    const delta = { ...choice.delta };
    delta[this.field] = text;
    return { ...chunk, choices: [{ ...choice, delta }] } as unknown as ChatCompletionChunk;
  }

  learn(data: string, event: ChatCompletionChunk): boolean {
    if (this.#patience < 1) {
      this.#chunk = undefined;
      return false;
    }
    this.#patience--;
    const field = growingField(event);
    const place = field && placeOf(field, event, data);
    if (field === undefined || place === undefined) return false;
    const before = data.slice(0, place.start);
    const after = data.slice(place.end);
    // Parsed anew: what was handed out belongs to the reader, who may change it.
    const chunk = JSON.parse(before + WRITTEN_PROBE + after) as FlatChunk;
    if (chunk.choices[0].delta[field] !== PROBE) return false;
    this.field = field;
    this.#chunk = chunk;
    // Copies with the quotes: a slice would keep the whole read alive.
    this.#before = [before, '"'].join("");
    this.#after = ['"', after].join("");
    return true;
  }
}

/** The one text of a chunk that is otherwise flat, so that its copies share nothing, and says nothing else that adds up. */
function growingField(event: ChatCompletionChunk): TextField | undefined {
  const { choices, ...rest } = event as unknown as Record<string, unknown>;
  if (!Array.isArray(choices) || choices.length !== 1 || !isFixed(rest)) return undefined;
  const { delta, ...others } = (choices[0] ?? {}) as Record<string, unknown>;
  if (typeof delta !== "object" || delta === null || !isFixed(others) || !isFlat(delta)) return undefined;
  const said = Object.entries(delta).filter(
    ([name, value]) => value !== null && value !== "" && name !== "role",
  );
  const [[name, value] = []] = said;
  if (said.length !== 1 || typeof value !== "string") return undefined;
  // Reasoning that is told under both names counts under the first, be that empty.
  if (name === "reasoning" && "reasoning_content" in delta) return undefined;
  return TEXT_FIELDS.find((field) => field === name);
}

/** Whether fields say the same however often they come: no text that is joined to what came before. */
function isFixed(fields: object): boolean {
  return isFlat(fields) && Object.keys(fields).every((name) => !GROWING_TEXT.has(name));
}

function isFlat(fields: object): boolean {
  return Object.values(fields).every((value) => typeof value !== "object" || value === null);
}

/** Where the JSON string stands that is the value of a field, quotes included. */
function placeOf(
  field: TextField,
  event: ChatCompletionChunk,
  data: string,
): { start: number; end: number } | undefined {
  const text = event.choices[0]?.delta[field];
  const name = `"${field}"`;
  for (let at = data.indexOf(name); at !== -1; at = data.indexOf(name, at + 1)) {
    const start = skipTo(data, at + name.length);
    const end = start === undefined ? undefined : endOfString(data, start);
    if (start === undefined || end === undefined) continue;
    try {
      if (JSON.parse(data.slice(start, end)) === text) return { start, end };
    } catch {
      // The name stood inside a string.
    }
  }
  return undefined;
}

/** The quote behind a colon, with blanks around it or none. */
function skipTo(data: string, from: number): number | undefined {
  let at = from;
  let colons = 0;
  for (; at < data.length; at++) {
    const char = data[at];
    if (char === ":" && colons === 0) colons++;
    else if (char !== " " && char !== "\t") break;
  }
  return colons === 1 && data[at] === '"' ? at : undefined;
}

function endOfString(data: string, start: number): number | undefined {
  for (let at = start + 1; at < data.length; at++) {
    if (data[at] === "\\") at++;
    else if (data[at] === '"') return at + 1;
  }
  return undefined;
}
