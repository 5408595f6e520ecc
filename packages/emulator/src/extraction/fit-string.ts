import { hashText } from "../language/hash-text.js";
import { asNumber, asString, type JSONSchema } from "./json-schema.js";
import { EMAIL, WEB_ADDRESS } from "./pick-string.js";

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/i;
const IPV4 = /\b(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)\b/;
const LONGEST_PADDING = 10_000;

interface FormatRule {
  /** The value of the format in a text. */
  find(text: string): string | undefined;
  /** Stands in where the text holds none. */
  fallback(text: string): string;
}

const FORMATS: Record<string, FormatRule> = {
  email: { find: (text) => text.match(EMAIL)?.[0], fallback: () => "user@example.com" },
  uri: { find: (text) => text.match(WEB_ADDRESS)?.[0], fallback: () => "https://example.com/" },
  url: { find: (text) => text.match(WEB_ADDRESS)?.[0], fallback: () => "https://example.com/" },
  // Moments are read by the clock, before anything else: what the text does not tell is left.
  date: { find: () => undefined, fallback: () => "2025-01-01" },
  "date-time": { find: () => undefined, fallback: () => "2025-01-01T00:00:00Z" },
  time: { find: () => undefined, fallback: () => "00:00:00Z" },
  duration: {
    find: (text) => /\bP(?:\d+[YMWD])*(?:T(?:\d+[HMS])+)?\b/.exec(text)?.[0],
    fallback: () => "PT0S",
  },
  uuid: { find: (text) => UUID.exec(text)?.[0], fallback: uuidOf },
  ipv4: { find: (text) => IPV4.exec(text)?.[0], fallback: () => "192.0.2.1" },
  ipv6: { find: () => undefined, fallback: () => "2001:db8::1" },
  hostname: {
    find: (text) => /\b[a-z\d-]+(?:\.[a-z\d-]+)*\.[a-z]{2,}\b/i.exec(text)?.[0],
    fallback: () => "example.com",
  },
};

/** A value of the schema's `format` from a text; undefined when it has no format that is known. */
export function pickFormatted(
  schema: JSONSchema,
  text: string,
): { value: string; found: boolean } | undefined {
  const format = asString(schema["format"]);
  const rule = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  if (!rule) return undefined;
  const found = rule.find(text);
  return found === undefined ? { value: rule.fallback(text), found: false } : { value: found, found: true };
}

/** The string at a length that the schema allows. */
export function fitLength(value: string, schema: JSONSchema): string {
  const max = asNumber(schema["maxLength"]) ?? Number.POSITIVE_INFINITY;
  const min = Math.min(asNumber(schema["minLength"]) ?? 0, LONGEST_PADDING);
  // Lengths of JSON schema are counted in code points.
  const characters = [...value];
  if (characters.length > max) return characters.slice(0, max).join("");
  return characters.length < min ? value + ".".repeat(min - characters.length) : value;
}

function uuidOf(text: string): string {
  const hex = (salt: number) => hashText(text, salt).toString(16).padStart(8, "0");
  return `${hex(1)}-${hex(2).slice(0, 4)}-4${hex(2).slice(5)}-8${hex(3).slice(0, 3)}-${hex(4)}${hex(5).slice(0, 4)}`;
}
