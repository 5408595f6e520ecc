import { readObject } from "../json/read-json-value.js";
import type { ToolCall } from "./chat-types.js";

/** A tool call as far as it has arrived. */
export interface ToolCallReading {
  /** Position among the calls of its choice, from 0 without gaps, whatever numbers the route gives. */
  index: number;
  /** Undefined until a fragment names one. */
  id: string | undefined;
  /** Undefined until a fragment names one. */
  name: string | undefined;
  /** JSON text so far, as the model wrote it; arguments that come as a value are written as JSON. */
  arguments: string;
  /** Every other field of the call as it came, such as `extra_content`; those of `function` under `function`. */
  extra: Record<string, unknown>;
}

/** What one fragment adds. */
export interface ToolCallUpdate {
  /** The call it belongs to, this fragment included. */
  call: ToolCallReading;
  /** True for the first fragment of the call. */
  begins: boolean;
  /** Set when this fragment made the id known. */
  id?: string;
  /** Set when this fragment made the name known. */
  name?: string;
  /** The argument text that this fragment added. */
  arguments: string;
}

/**
 * Puts the tool calls of one choice together from their fragments: the one place that knows how routes number,
 * name and encode them. Never throws, and is linear in the text it is given.
 */
export class ToolCallReader {
  readonly calls: ToolCallReading[] = [];
  /** Number on the wire to position in `calls`; they differ when a route starts at 1, or gives every call a 0. */
  private readonly positions = new Map<number, number>();
  private readonly positionsById = new Map<string, number>();
  private readonly brackets: BracketCounter[] = [];

  /** @param fragment an entry of `delta.tool_calls`, as it came */
  add(fragment: unknown): ToolCallUpdate {
    const fields = readObject(fragment) ?? {};
    const { index, id: wireId, type: _type, function: called, ...extra } = fields;
    const { name: wireName, arguments: written, ...functionExtra } = readObject(called) ?? {};
    const given = { index: readIndex(index), id: nonEmpty(wireId), name: nonEmpty(wireName) };
    const position = this.locate(given);
    const begins = position === this.calls.length;
    if (begins) this.begin(position);
    const call = this.calls[position] as ToolCallReading;
    const update: ToolCallUpdate = { call, begins, arguments: argumentText(written) };
    if (call.id === undefined && given.id !== undefined) {
      call.id = update.id = given.id;
      this.positionsById.set(given.id, position);
    }
    if (call.name === undefined && given.name !== undefined) call.name = update.name = given.name;
    call.arguments += update.arguments;
    this.brackets[position]?.add(update.arguments);
    keep(call.extra, extra);
    if (Object.keys(functionExtra).length > 0) {
      const kept = readObject(call.extra["function"]) ?? {};
      keep(kept, functionExtra);
      call.extra["function"] = kept;
    }
    return update;
  }

  private begin(index: number): void {
    this.calls.push({ index, id: undefined, name: undefined, arguments: "", extra: {} });
    this.brackets.push(new BracketCounter());
  }

  /**
   * The call a fragment belongs to. The format numbers calls; routes also leave the number out, or give every
   * call the number 0, and then only a new id or a new name tells that another call begins.
   */
  private locate({ index, id, name }: { index?: number; id?: string; name?: string }): number {
    const next = this.calls.length;
    if (index !== undefined) {
      const known = this.positions.get(index);
      const call = known === undefined ? undefined : this.calls[known];
      // Some routes send a new id with every fragment, so an id alone does not begin a call here.
      const another = call?.name && name && call.id && id && call.id !== id;
      if (known !== undefined && !another) return known;
      this.positions.set(index, next);
      return next;
    }
    const last = this.calls[next - 1];
    if (last === undefined) return next;
    const known = id === undefined ? undefined : this.positionsById.get(id);
    if (known !== undefined) return known;
    if (id && last.id) return next;
    const another = last.name && name && this.brackets[next - 1]?.areClosed();
    return another ? next : next - 1;
  }
}

/** The tool calls of a whole message, as `message.tool_calls` holds them, read by the same rules. */
export function readToolCalls(toolCalls: unknown): ToolCallReading[] {
  const list = Array.isArray(toolCalls) ? toolCalls : toolCalls ? [toolCalls] : [];
  // One entry is one whole call here, whatever it is numbered.
  return list
    .filter((entry) => readObject(entry) !== undefined)
    .map((entry, index) => ({ ...new ToolCallReader().add(entry).call, index }));
}

/** A call as the wire format has it, for answers and for the history of a conversation. */
export function toToolCall({ id = "", name = "", arguments: written, extra }: ToolCallReading): ToolCall {
  const { function: functionExtra, ...rest } = extra;
  return {
    ...rest,
    id,
    type: "function",
    function: { ...readObject(functionExtra), name, arguments: written },
  };
}

/**
 * The arguments of a call, read strictly: undefined unless the text is one whole JSON object. A text that was cut off
 * is never mended, because a tool that ran with half of its arguments could do harm. Blank text means no arguments.
 */
export function parseToolArguments(text: string): Record<string, unknown> | undefined {
  if (text.trim() === "") return {};
  try {
    return readObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Tells whether a growing JSON text has closed its outermost bracket; reads each character once, and only when asked. */
class BracketCounter {
  /** Pieces and not their sum: to look into a text that grew by additions, it is copied each time. */
  #unread: string[] = [];
  #depth = 0;
  #opened = false;
  #quoted = false;
  #escaped = false;

  add(text: string): void {
    if (text !== "") this.#unread.push(text);
  }

  areClosed(): boolean {
    for (const text of this.#unread) for (const character of text) this.#read(character);
    this.#unread = [];
    return this.#opened && this.#depth <= 0 && !this.#quoted;
  }

  #read(character: string): void {
    if (this.#escaped) this.#escaped = false;
    else if (this.#quoted) {
      if (character === "\\") this.#escaped = true;
      else if (character === '"') this.#quoted = false;
    } else if (character === '"') this.#quoted = true;
    else if (character === "{" || character === "[") {
      this.#opened = true;
      this.#depth++;
    } else if (character === "}" || character === "]") this.#depth--;
  }
}

/** Some routes send the number as text. */
function readIndex(index: unknown): number | undefined {
  if (typeof index === "number") return index;
  return typeof index === "string" && /^\d{1,9}$/.test(index) ? Number(index) : undefined;
}

function nonEmpty(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** Some routes send arguments as an object. */
function argumentText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  try {
    return JSON.stringify(value);
  } catch {
    // Nested too deeply to be written: a call that nobody can take for whole.
    return "{";
  }
}

function keep(target: Record<string, unknown>, fields: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(fields)) {
    // `__proto__` of a parsed answer is a field like any other.
    if (value !== undefined && value !== null)
      Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  }
}
