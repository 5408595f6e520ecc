const LONGEST_STRING = 1_000;
const MOST_MEMBERS = 200;
const DEEPEST = 12;

/** A copy of a JSON value that is safe to keep: long strings, long lists and deep nesting are cut and say so. */
export function abridge(value: unknown, depth = 0): unknown {
  if (typeof value === "string") {
    return value.length > LONGEST_STRING
      ? `${value.slice(0, LONGEST_STRING)}… (${value.length - LONGEST_STRING} more characters)`
      : value;
  }
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof File) return `file "${value.name}", ${value.type || "no type"}, ${value.size} bytes`;
  if (depth >= DEEPEST) return "… (nested deeper)";
  if (Array.isArray(value)) {
    const kept = value.slice(0, MOST_MEMBERS).map((item) => abridge(item, depth + 1));
    return value.length > MOST_MEMBERS ? [...kept, `… (${value.length - MOST_MEMBERS} more items)`] : kept;
  }
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MOST_MEMBERS)
      .map(([key, member]) => [key, abridge(member, depth + 1)]),
  );
}
