import { isDeeperThan } from "./is-deeper-than.js";

/** How a program lays JSON out: what stands between its parts, and what it escapes without need. */
export interface JSONLayout {
  /** `{"a":1}`, `{"a": 1, "b": 2}`, or a line for each member. */
  spacing: "compact" | "spaced" | "indented";
  /** Nothing; `<`, `>` and `&`, as Go does; or whatever is not ASCII, as Python does. */
  escapes: "none" | "html" | "ascii";
}

export const COMPACT: JSONLayout = { spacing: "compact", escapes: "none" };

const DEEPEST = 200;
const SPACINGS = ["compact", "spaced", "indented"] as const;
const ESCAPES = ["none", "html", "ascii"] as const;
/** What each escapes. Outside of strings, JSON holds none of these characters. */
const ESCAPED = { html: /[<>&\u2028\u2029]/g, ascii: /[\u0080-\uffff]/g } as const;

/** Writes JSON in a layout. */
export function writeJSON(value: unknown, { spacing, escapes }: JSONLayout): string {
  const text =
    spacing === "spaced"
      ? spaced(value)
      : JSON.stringify(value, null, spacing === "indented" ? 2 : undefined);
  if (escapes === "none") return text;
  return text.replace(
    ESCAPED[escapes],
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * Reads JSON together with the layout in which it can be written again to the very same text.
 *
 * @param likely tried first
 * @returns undefined for what is no JSON, in a layout of its own, or nested deeper than 200 levels
 */
export function readJSONLayout(
  text: string,
  likely: JSONLayout = COMPACT,
): { value: unknown; layout: JSONLayout } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (isDeeperThan(value, DEEPEST)) return undefined;
    if (writeJSON(value, likely) === text) return { value, layout: likely };
    for (const spacing of SPACINGS) {
      for (const escapes of ESCAPES) {
        const layout = { spacing, escapes };
        if (writeJSON(value, layout) === text) return { value, layout };
      }
    }
  } catch {
    // No JSON.
  }
  return undefined;
}

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${spaced(member)}`);
  return `{${members.join(", ")}}`;
}
