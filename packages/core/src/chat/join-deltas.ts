import { type JSONObject, readObject } from "../json/read-json-value.js";

/** Fields whose text comes in pieces; other text is told anew each time. */
export const GROWING_TEXT: ReadonlySet<string> = new Set([
  "refusal",
  "thinking",
  "text",
  "summary",
  "data",
  "transcript",
]);

/** Adds a field of a delta to what came before: text that grows and lists are joined, everything else is replaced. */
export function addField(target: JSONObject, field: string, value: unknown): void {
  if (value === undefined || value === null) return;
  const before = Object.hasOwn(target, field) ? target[field] : undefined;
  let joined = value;
  if (typeof value === "string") {
    if (typeof before === "string" && GROWING_TEXT.has(field)) joined = before + value;
  } else if (Array.isArray(value)) {
    const list = Array.isArray(before) ? before : [];
    joinParts(list, value);
    joined = list;
  } else if (typeof value === "object") {
    const fields = readObject(before) ?? {};
    for (const name of Object.keys(value)) addField(fields, name, (value as JSONObject)[name]);
    joined = fields;
  }
  // `__proto__` of a parsed answer is a field like any other.
  Object.defineProperty(target, field, {
    value: joined,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

/** Adds entries to a list; a piece of the last entry is joined with it. */
export function joinParts(list: unknown[], added: unknown): void {
  for (const entry of Array.isArray(added) ? added : [added]) {
    const fields = readObject(entry);
    const last = readObject(list.at(-1));
    if (fields !== undefined && last !== undefined && isPieceOf(last, fields)) {
      for (const name of Object.keys(fields)) addField(last, name, fields[name]);
    } else {
      // A copy: what is joined later must not show in the event that brought it.
      list.push(fields === undefined ? entry : copy(fields));
    }
  }
}

function copy(fields: JSONObject): JSONObject {
  const copied: JSONObject = {};
  for (const name of Object.keys(fields)) addField(copied, name, fields[name]);
  return copied;
}

/** Text and thinking go on until another kind of part begins; numbered entries until another number does. */
function isPieceOf(last: JSONObject, fields: JSONObject): boolean {
  if (last["type"] !== fields["type"]) return false;
  if (fields["index"] !== undefined) return fields["index"] === last["index"];
  return fields["type"] === "thinking" || (fields["type"] === "text" && !("cache_control" in fields));
}
