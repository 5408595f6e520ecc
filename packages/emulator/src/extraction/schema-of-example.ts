import { isRecord } from "../json/is-record.js";
import type { JSONSchema } from "./json-schema.js";

/** The schema that an example object stands for. */
export function schemaOfExample(example: unknown, depth = 0): JSONSchema {
  if (depth > 8) return {};
  if (Array.isArray(example)) return { type: "array", items: schemaOfExample(example[0], depth + 1) };
  if (isRecord(example)) {
    const properties = Object.fromEntries(
      Object.entries(example).map(([name, value]) => [name, schemaOfExample(value, depth + 1)]),
    );
    return { type: "object", properties, required: Object.keys(example) };
  }
  if (typeof example === "number") return { type: "number" };
  if (typeof example === "boolean") return { type: "boolean" };
  // Examples often spell the options out: "positive|negative|neutral".
  const options = typeof example === "string" ? example.split(/\s*\|\s*/) : [];
  return options.length > 1 ? { type: "string", enum: options } : { type: "string" };
}
