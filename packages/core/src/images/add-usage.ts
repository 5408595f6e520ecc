import { readObject } from "../json/read-json-value.js";

/** Adds the counts of two usages of one shape; what is no number is the later one's. */
export function addUsage(sum: unknown, usage: unknown): unknown {
  if (typeof sum === "number" && typeof usage === "number") return sum + usage;
  const [known, added] = [readObject(sum), readObject(usage)];
  if (known === undefined || added === undefined) return usage ?? sum;
  const all: Record<string, unknown> = { ...known };
  for (const [name, value] of Object.entries(added)) all[name] = addUsage(known[name], value);
  return all;
}
